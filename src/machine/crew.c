/* The host threads of a launch. They run the residents' parts of a round that have nothing to do with each other,
 * and wait in between; the calling thread is one of them.
 *
 * Who runs which cluster is left to chance: a cluster's part of a round depends on nothing that another thread does. */
#include "machine/run.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum {
    PIECE_STEPS = 4096,          /* between two looks at whether to go on */
    LOOK_NANOSECONDS = 20000000, /* between two looks at the clock        */
    LOOKS = 256                  /* for a job, or at its end, before a thread sleeps: ten microseconds, as sleeping and waking cost */
};

struct crew {
    struct launch *launch;
    pthread_t *threads;
    uint32_t made;
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    _Atomic uint64_t job; /* counts the jobs given; changed under the lock, as what follows up to `over` */
    bool open;            /* the job may be joined: a thread that wakes when the others have done it all is not waited for */
    atomic_uint joined;   /* threads that work at it, the caller aside */
    bool over;
    _Atomic int64_t left; /* warp instructions of the job that nobody has executed: may fall below 0 */
    atomic_uint next;     /* the next resident that nobody has taken */
};

struct member {
    struct crew *crew;
    struct hand *hand;
};

static void relax(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#endif
}

static bool may_go_on(struct launch *l, uint32_t i)
{
    return !atomic_load_explicit(&l->halted, memory_order_relaxed) && i <= atomic_load_explicit(&l->first_bad, memory_order_relaxed);
}

/* Clusters are run one by one as far as they get, whatever the budget: those that have not begun need no memory yet. */
static void run_one(struct crew *crew, struct hand *hand, uint32_t i)
{
    struct launch *const l = crew->launch;
    while (tw_resident_active(l, &l->residents[i]) && may_go_on(l, i)) {
        const int64_t left = atomic_load_explicit(&crew->left, memory_order_relaxed);
        if (left <= 0)
            return;
        const uint64_t ran = tw_resident_run(l, hand, i, left < PIECE_STEPS ? (uint64_t)left : PIECE_STEPS);
        atomic_fetch_sub_explicit(&crew->left, (int64_t)ran, memory_order_relaxed);
        if (hand == &l->hands[0])
            tw_check_time(l);
    }
}

static void work(struct crew *crew, struct hand *hand)
{
    for (;;) {
        const uint32_t i = atomic_fetch_add_explicit(&crew->next, 1, memory_order_relaxed);
        if (i >= crew->launch->resident_count)
            return;
        run_one(crew, hand, i);
    }
}

/* The next job follows within microseconds where clusters come to strong operations again and again. */
static void look_for_job(struct crew *crew, uint64_t done)
{
    for (uint32_t i = 0; i < LOOKS && atomic_load_explicit(&crew->job, memory_order_relaxed) == done; i++)
        relax();
}

/* Waits until there is a job to join, and joins it; false: the crew is over. */
static bool join_job(struct crew *crew, uint64_t *done)
{
    look_for_job(crew, *done);
    pthread_mutex_lock(&crew->lock);
    while (!crew->over && !(crew->open && crew->job != *done))
        pthread_cond_wait(&crew->begin, &crew->lock);
    const bool over = crew->over;
    *done = crew->job;
    crew->joined += !over;
    pthread_mutex_unlock(&crew->lock);
    return !over;
}

static void leave_job(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    if (--crew->joined == 0)
        pthread_cond_signal(&crew->end);
    pthread_mutex_unlock(&crew->lock);
}

static void *member_main(void *argument)
{
    struct member *const m = argument;
    struct crew *const crew = m->crew;
    struct hand *const hand = m->hand;
    free(m);
    for (uint64_t done = 0; join_job(crew, &done); leave_job(crew))
        work(crew, hand);
    return NULL;
}

static bool hire(struct crew *crew, struct hand *hand)
{
    struct member *const m = calloc(1, sizeof *m);
    if (m == NULL)
        return false;
    *m = (struct member){crew, hand};
    if (pthread_create(&crew->threads[crew->made], NULL, member_main, m) != 0) {
        free(m);
        return false;
    }
    crew->made++;
    return true;
}

static struct crew *crew_of(struct launch *l)
{
    if (l->crew != NULL)
        return l->crew;
    struct crew *const crew = calloc(1, sizeof *crew);
    if (crew == NULL)
        return NULL;
    crew->launch = l;
    crew->threads = calloc(l->threads, sizeof *crew->threads);
    if (crew->threads == NULL) {
        free(crew);
        return NULL;
    }
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->begin, NULL);
    pthread_cond_init(&crew->end, NULL);
    l->crew = crew;
    return crew;
}

/* When the first job has been given: a thread that had to sleep first would be woken on the caller's own processor. */
static void hire_all(struct crew *crew)
{
    struct launch *const l = crew->launch;
    for (uint32_t i = 1; i < l->threads; i++)
        if (!hire(crew, &l->hands[i]))
            return; /* fewer threads do the same, later */
}

/* The calling thread has nothing left to run: it waits for those that still do, and keeps an eye on the clock. */
static void wait_for_others(struct crew *crew)
{
    for (uint32_t i = 0; i < LOOKS && atomic_load_explicit(&crew->joined, memory_order_relaxed) != 0; i++)
        relax();
    pthread_mutex_lock(&crew->lock);
    crew->open = false;
    while (crew->joined != 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK_NANOSECONDS;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        pthread_cond_timedwait(&crew->end, &crew->lock, &until);
        pthread_mutex_unlock(&crew->lock);
        tw_check_time(crew->launch);
        pthread_mutex_lock(&crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
}

bool tw_crew_run(struct launch *l, uint64_t budget)
{
    struct crew *const crew = crew_of(l);
    if (crew == NULL)
        return false;
    pthread_mutex_lock(&crew->lock);
    atomic_store_explicit(&crew->next, 0, memory_order_relaxed);
    atomic_store_explicit(&crew->left, budget < INT64_MAX ? (int64_t)budget : INT64_MAX, memory_order_relaxed);
    crew->open = true;
    const bool first = ++crew->job == 1;
    pthread_cond_broadcast(&crew->begin);
    pthread_mutex_unlock(&crew->lock);
    if (first)
        hire_all(crew);
    work(crew, &l->hands[0]);
    wait_for_others(crew);
    return true;
}

void tw_crew_end(struct launch *l)
{
    struct crew *const crew = l->crew;
    if (crew == NULL)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->over = true;
    pthread_cond_broadcast(&crew->begin);
    pthread_mutex_unlock(&crew->lock);
    for (uint32_t i = 0; i < crew->made; i++)
        pthread_join(crew->threads[i], NULL);
    pthread_cond_destroy(&crew->begin);
    pthread_cond_destroy(&crew->end);
    pthread_mutex_destroy(&crew->lock);
    free(crew->threads);
    free(crew);
    l->crew = NULL;
}
