/* rearrange("m (kr k) -> kr m k", k=16): split dimensions by name, reorder the names, merge them.
 *
 *     pattern = side "->" side
 *     side    = group { SPACE group }
 *     group   = NAME | "(" NAME { SPACE NAME } ")"
 */
#include "layout/draft.h"
#include "layout/refuse.h"
#include "layout/view.h"

struct side {
    struct str name[TW_MAX_RANK];
    uint32_t name_count;
    uint32_t first[TW_MAX_RANK + 1]; /* group g owns names first[g] .. first[g+1]-1 */
    uint32_t group_count;
};

struct reader {
    const struct layout_env *e;
    struct str pattern;
    size_t at;
};

/* ---- reading the pattern ---- */

static bool refuse_pattern(const struct reader *r, const char *expected)
{
    const struct str rest = {r->pattern.at + r->at, r->pattern.len - r->at};
    const char *where = rest.len == 0 ? tw_format(r->e->arena, "the end of '" STR_FMT "'", STR_ARG(r->pattern))
                                      : tw_format(r->e->arena, "'" STR_FMT "' in '" STR_FMT "'", STR_ARG(rest),
                                                  STR_ARG(r->pattern));
    return REFUSE(r->e, E0310, .message = "a rearrange pattern is malformed", .expected = expected, .found = where);
}

static char peek(const struct reader *r)
{
    return r->at < r->pattern.len ? r->pattern.at[r->at] : '\0';
}

static void skip_spaces(struct reader *r)
{
    while (peek(r) == ' ')
        r->at++;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool read_name(struct reader *r, struct side *s)
{
    const size_t begin = r->at;
    if (!is_letter(peek(r)))
        return refuse_pattern(r, peek(r) == '.'   ? "an axis name; a pattern has no '...'"
                                 : peek(r) == '1' ? "an axis name; a pattern has no '1'"
                                                  : "an axis name");
    while (is_letter(peek(r)) || (peek(r) >= '0' && peek(r) <= '9'))
        r->at++;
    if (s->name_count == TW_MAX_RANK)
        return REFUSE(r->e, E0303, .message = "a rearrange pattern names too many axes",
                      .expected = tw_format(r->e->arena, "at most %d", TW_MAX_RANK));
    s->name[s->name_count++] = (struct str){r->pattern.at + begin, r->at - begin};
    return true;
}

/* group = NAME | "(" NAME { SPACE NAME } ")" */
static bool read_group(struct reader *r, struct side *s)
{
    if (peek(r) != '(')
        return read_name(r, s);
    r->at++;
    skip_spaces(r);
    do {
        if (!read_name(r, s))
            return false;
        skip_spaces(r);
    } while (peek(r) != ')' && peek(r) != '\0');
    if (peek(r) != ')')
        return refuse_pattern(r, "')'");
    r->at++;
    return true;
}

static bool at_side_end(const struct reader *r)
{
    return r->at >= r->pattern.len || peek(r) == '-';
}

/* side = group { SPACE group } */
static bool read_side(struct reader *r, struct side *s)
{
    *s = (struct side){0};
    skip_spaces(r);
    do {
        if (!read_group(r, s)) /* a group has one name or more, so there are no more groups than names */
            return false;
        s->first[++s->group_count] = s->name_count;
        const size_t end = r->at;
        skip_spaces(r);
        if (r->at == end && !at_side_end(r))
            return refuse_pattern(r, "a space between groups");
    } while (!at_side_end(r));
    return true;
}

/* pattern = side "->" side */
static bool read_pattern(struct reader *r, struct side *left, struct side *right)
{
    if (!read_side(r, left))
        return false;
    if (peek(r) != '-' || r->at + 1 >= r->pattern.len || r->pattern.at[r->at + 1] != '>')
        return refuse_pattern(r, "'->'");
    r->at += 2;
    return read_side(r, right) && (r->at == r->pattern.len || refuse_pattern(r, "the end of the pattern"));
}

/* ---- names and sizes ---- */

static uint32_t find_name(const struct side *s, struct str name)
{
    for (uint32_t i = 0; i < s->name_count; i++)
        if (tw_str_eq(s->name[i], name))
            return i;
    return s->name_count;
}

static bool refuse_names(const struct layout_env *e, struct str name, const char *what)
{
    return REFUSE(e, E0312, .message = "the sides of a rearrange pattern name different axes",
                  .expected = "every name once on each side",
                  .found = tw_format(e->arena, "'" STR_FMT "' %s", STR_ARG(name), what));
}

static bool check_unique(const struct layout_env *e, const struct side *s, const char *what)
{
    for (uint32_t i = 0; i < s->name_count; i++)
        if (find_name(s, s->name[i]) != i)
            return refuse_names(e, s->name[i], what);
    return true;
}

static bool check_subset(const struct layout_env *e, const struct side *s, const struct side *of, const char *what)
{
    for (uint32_t i = 0; i < s->name_count; i++)
        if (find_name(of, s->name[i]) == of->name_count)
            return refuse_names(e, s->name[i], what);
    return true;
}

static bool check_names(const struct layout_env *e, const struct side *left, const struct side *right)
{
    return check_unique(e, left, "twice on the left side") && check_unique(e, right, "twice on the right side") &&
           check_subset(e, left, right, "on the left side only") && check_subset(e, right, left, "on the right side only");
}

/* size[i] of left name i; 0 where the caller gave none. */
static bool take_sizes(const struct layout_env *e, const struct side *left, const struct axis_size *sizes, uint32_t count,
                       int64_t size[TW_MAX_RANK])
{
    for (uint32_t i = 0; i < TW_MAX_RANK; i++)
        size[i] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t name = find_name(left, sizes[i].name);
        if (name == left->name_count)
            return REFUSE(e, E0313, .message = "a size is given for an axis that the pattern does not name",
                          .found = tw_format(e->arena, STR_FMT "=%lld", STR_ARG(sizes[i].name), (long long)sizes[i].size));
        if (sizes[i].size < 1)
            return REFUSE(e, E0313, .message = "the size of an axis is not positive",
                          .found = tw_format(e->arena, STR_FMT "=%lld", STR_ARG(sizes[i].name), (long long)sizes[i].size));
        size[name] = sizes[i].size;
    }
    return true;
}

static bool refuse_sizes(const struct layout_env *e, uint32_t dim, int64_t extent, const char *expected, const char *found)
{
    return REFUSE(e, E0313, .message = tw_format(e->arena, "the axis sizes do not fit dimension %u of extent %lld", dim,
                                                 (long long)extent),
                  .expected = expected, .found = found);
}

/* Deduces the one unknown size of a group from the dimension's extent. */
static bool deduce_group(const struct layout_env *e, const struct side *left, uint32_t g, int64_t extent,
                         int64_t size[TW_MAX_RANK])
{
    int64_t known = 1;
    uint32_t open = left->name_count;
    for (uint32_t i = left->first[g]; i < left->first[g + 1]; i++) {
        if (size[i] != 0) {
            known = tw_mul_sat(known, size[i]);
            continue;
        }
        if (open != left->name_count)
            return refuse_sizes(e, g, extent, "at most one axis without a size",
                                tw_format(e->arena, "neither '" STR_FMT "' nor '" STR_FMT "' has one",
                                          STR_ARG(left->name[open]), STR_ARG(left->name[i])));
        open = i;
    }
    const char *found = tw_format(e->arena, "sizes with the product %lld", (long long)known);
    if (open == left->name_count)
        return known == extent ||
               refuse_sizes(e, g, extent, tw_format(e->arena, "sizes with the product %lld", (long long)extent), found);
    if (extent % known != 0)
        return refuse_sizes(e, g, extent, tw_format(e->arena, "sizes whose product divides %lld", (long long)extent), found);
    size[open] = extent / known;
    return true;
}

static bool flat_left_shape(const struct layout_env *e, const struct view *v, const struct side *left,
                            int64_t size[TW_MAX_RANK], struct shape *flat)
{
    if (left->group_count != v->shape.rank)
        return REFUSE(e, E0311, .message = "a rearrange pattern has the wrong number of groups on its left side",
                      .expected = tw_format(e->arena, "%u, one for each dimension of %s", v->shape.rank,
                                            tw_shape_text(e->arena, &v->shape)),
                      .found = tw_format(e->arena, "%u", left->group_count));
    for (uint32_t g = 0; g < left->group_count; g++)
        if (!deduce_group(e, left, g, v->shape.dim[g], size))
            return false;
    return tw_shape_make(e, left->name_count, size, flat);
}

bool tw_view_rearrange(const struct layout_env *e, const struct view *v, struct str pattern, const struct axis_size *sizes,
                       uint32_t size_count, struct view *out)
{
    struct reader r = {.e = e, .pattern = pattern};
    struct side left, right;
    int64_t size[TW_MAX_RANK];
    struct shape flat;
    if (!read_pattern(&r, &left, &right) || !check_names(e, &left, &right) ||
        !take_sizes(e, &left, sizes, size_count, size) || !flat_left_shape(e, v, &left, size, &flat))
        return false;
    uint32_t order[TW_MAX_RANK];
    struct view result = *v;
    result.shape.rank = right.group_count;
    for (uint32_t g = 0; g < right.group_count; g++) {
        result.shape.dim[g] = 1;
        for (uint32_t i = right.first[g]; i < right.first[g + 1]; i++) {
            order[i] = find_name(&left, right.name[i]);
            result.shape.dim[g] *= flat.dim[order[i]];
        }
    }
    result.layout = tw_layout_permute(e, v->layout, &flat, order);
    if (result.layout == NULL)
        return false;
    *out = result;
    return true;
}
