/* Names that an entry cannot have. A variable hides what a header declares; an entry of the same name declares it again. */
#include "emit/cuda.h"

#include <ctype.h>
#include <string.h>

/* MEASURED: CUDA 13.0 and glibc. An entry of each name that the headers of an empty file mention was given to nvcc; these were
 * refused. They are separated by blanks. */

/* Functions that exist also for every other width of a float. */
static const char mathematics[] =
    "acos acosh asin asinh atan atan2 atanh canonicalize cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 "
    "expm1 fabs fdim floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num fmaximum_num fmaxmag fmin fminimum "
    "fminimum_mag fminimum_mag_num fminimum_num fminmag fmod frexp fromfp fromfpx getpayload hypot ilogb j0 j1 jn "
    "ldexp lgamma llogb llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter "
    "nextdown nextup pow remainder remquo rint round roundeven scalbln scalbn setpayload setpayloadsig sin sincos "
    "sinh sqrt tan tanh tgamma totalorder totalordermag trunc ufromfp ufromfpx y0 y1 yn";

static const char *const widths[] = {"", "f", "l", "f32", "f32x", "f64", "f64x"};

static const char *const declared[] = {
    "CUuuid FILE _tolower _toupper a64l abort abs aligned_alloc arc4random arc4random_buf arc4random_uniform",
    "asctime asctime_r asprintf atexit atof atoi atol atoll bcmp bcopy bsearch bzero calloc",
    "canonicalize_file_name clearenv clearerr clearerr_unlocked clock clock64 clock_adjtime clock_getcpuclockid",
    "clock_getres clock_gettime clock_nanosleep clock_settime cospi cospif ctermid ctime ctime_r cuserid",
    "cyl_bessel_i0 cyl_bessel_i0f cyl_bessel_i1 cyl_bessel_i1f daddl daylight ddivl dfmal difftime dim3 div dmull",
    "dprintf drand48 drand48_r drem dremf dreml dsqrtl dsubl dysize ecvt ecvt_r erand48 erand48_r erfcinv",
    "erfcinvf erfcx erfcxf erfinv erfinvf exit explicit_bzero f32addf32x f32addf64 f32addf64x f32divf32x",
    "f32divf64 f32divf64x f32fmaf32x f32fmaf64 f32fmaf64x f32mulf32x f32mulf64 f32mulf64x f32sqrtf32x f32sqrtf64",
    "f32sqrtf64x f32subf32x f32subf64 f32subf64x f32xaddf64 f32xaddf64x f32xdivf64 f32xdivf64x f32xfmaf64",
    "f32xfmaf64x f32xmulf64 f32xmulf64x f32xsqrtf64 f32xsqrtf64x f32xsubf64 f32xsubf64x f64addf64x f64divf64x",
    "f64fmaf64x f64mulf64x f64sqrtf64x f64subf64x fadd faddl fclose fcloseall fcvt fcvt_r fd_mask fd_set fdiv",
    "fdivide fdividef fdivl fdopen feof feof_unlocked ferror ferror_unlocked fflush fflush_unlocked ffma ffmal",
    "ffs ffsl ffsll fgetc fgetc_unlocked fgetpos fgetpos64 fgets fgets_unlocked fileno fileno_unlocked finite",
    "finitef finitel flockfile fmemopen fmul fmull fopen fopen64 fopencookie fprintf fputc fputc_unlocked fputs",
    "fputs_unlocked fread fread_unlocked free freopen freopen64 fscanf fseek fseeko fseeko64 fsetpos fsetpos64",
    "fsqrt fsqrtl fsub fsubl ftell ftello ftello64 ftrylockfile funlockfile fwrite fwrite_unlocked gamma gammaf",
    "gammal gcvt getc getc_unlocked getchar getchar_unlocked getdate getdate_err getdate_r getdelim getenv",
    "getline getloadavg getpt getsubopt getw gmtime gmtime_r grantpt index initstate initstate_r isalnum",
    "isalnum_l isalpha isalpha_l isblank isblank_l iscntrl iscntrl_l isctype isdigit isdigit_l isgraph isgraph_l",
    "isinff isinfl islower islower_l isnanf isnanl isprint isprint_l ispunct ispunct_l isspace isspace_l isupper",
    "isupper_l isxdigit isxdigit_l jrand48 jrand48_r l64a labs lcong48 lcong48_r ldiv lgamma_r lgammaf32_r",
    "lgammaf32x_r lgammaf64_r lgammaf64x_r lgammaf_r lgammal_r libraryPropertyType llabs lldiv llmax llmin",
    "localtime localtime_r lrand48 lrand48_r make_int1 malloc max mblen mbstowcs mbtowc memccpy memchr memcmp",
    "memcpy memfrob memmem memmove mempcpy memset min mkdtemp mkostemp mkostemp64 mkostemps mkostemps64 mkstemp",
    "mkstemp64 mkstemps mkstemps64 mktemp mktime mrand48 mrand48_r nanosleep nexttoward nexttowardf nexttowardl",
    "norm norm3d norm3df norm4d norm4df normcdf normcdff normcdfinv normcdfinvf normf nrand48 nrand48_r",
    "obstack_printf obstack_vprintf on_exit open_memstream pclose perror popen posix_memalign posix_openpt printf",
    "pselect ptsname ptsname_r putc putc_unlocked putchar putchar_unlocked putenv puts putw qecvt qecvt_r qfcvt",
    "qfcvt_r qgcvt qsort qsort_r quick_exit rand rand_r random random_r rcbrt rcbrtf realloc reallocarray",
    "realpath remove rename renameat renameat2 rewind rhypot rhypotf rindex rnorm rnorm3d rnorm3df rnorm4d",
    "rnorm4df rnormf rpmatch rsqrt rsqrtf scalb scalbf scalbl scanf secure_getenv seed48 seed48_r select setbuf",
    "setbuffer setenv setlinebuf setstate setstate_r setvbuf sigabbrev_np sigdescr_np signbit signgam significand",
    "significandf significandl sincospi sincospif sinpi sinpif snprintf sprintf srand srand48 srand48_r srandom",
    "srandom_r sscanf stpcpy stpncpy strcasecmp strcasecmp_l strcat strchr strcmp strcoll strcoll_l strcpy",
    "strcspn strdup strerror strerror_l strerror_r strerrordesc_np strerrorname_np strfromd strfromf strfromf32",
    "strfromf32x strfromf64 strfromf64x strfroml strfry strftime strftime_l strlen strncasecmp strncasecmp_l",
    "strncat strncmp strncpy strndup strnlen strptime strptime_l strsep strsignal strspn strstr strtod strtod_l",
    "strtof strtof32 strtof32_l strtof32x strtof32x_l strtof64 strtof64_l strtof64x strtof64x_l strtof_l strtok",
    "strtok_r strtol strtol_l strtold strtold_l strtoll strtoll_l strtoq strtoul strtoul_l strtoull strtoull_l",
    "strtouq strverscmp strxfrm strxfrm_l system tempnam time timegm timelocal timer_create timer_delete",
    "timer_getoverrun timer_gettime timer_settime timespec_get timespec_getres timezone tmpfile tmpfile64 tmpnam",
    "tmpnam_r tolower tolower_l toupper toupper_l tzname tzset u_char u_int u_long u_short uint ullmax ullmin",
    "ulong umax umin ungetc unlockpt unsetenv ushort va_list valloc vasprintf vdprintf vfprintf vfscanf vprintf",
    "vscanf vsnprintf vsprintf vsscanf wcstombs wctomb",
};

/* Vectors are a type, a number from 1 to 4, and for some an alignment. */
static const char *const vectors[] = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
                                      "longlong", "ulonglong", "float", "double"};

static bool is_word_of(struct str name, const char *words)
{
    while (*words != '\0') {
        const size_t len = strcspn(words, " ");
        if (tw_str_eq((struct str){words, len}, name))
            return true;
        words += len + strspn(words + len, " ");
    }
    return false;
}

static bool is_declared(const char *name)
{
    for (size_t i = 0; i < sizeof declared / sizeof *declared; i++)
        if (is_word_of(tw_str(name), declared[i]))
            return true;
    return false;
}

static bool is_mathematics(const char *name)
{
    const size_t len = strlen(name);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        const size_t tail = strlen(widths[i]);
        if (len > tail && strcmp(name + len - tail, widths[i]) == 0 && is_word_of((struct str){name, len - tail}, mathematics))
            return true;
    }
    return false;
}

static bool is_vector(const char *name)
{
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const size_t len = strlen(vectors[i]);
        const bool is_type = strncmp(name, vectors[i], len) == 0 && name[len] >= '1' && name[len] <= '4';
        const char *tail = is_type ? name + len + 1 : NULL;
        if (is_type && (*tail == '\0' || strcmp(tail, "_16a") == 0 || strcmp(tail, "_32a") == 0))
            return true;
    }
    return false;
}

/* POSIX keeps the names that end in _t for types, C those that begin with an underscore and a capital. */
static bool is_kept_by_a_standard(const char *name)
{
    const size_t len = strlen(name);
    return (len > 2 && strcmp(name + len - 2, "_t") == 0) || (name[0] == '_' && isupper((unsigned char)name[1]));
}

static bool is_identifier(const char *name)
{
    for (const char *c = name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return true;
}

bool tw_cuda_name_is_free(const struct cuda_emitter *em, const char *name)
{
    return is_identifier(name) && tw_strmap_get(&em->names, tw_str(name)) == NULL && !tw_cuda_is_reserved_shape(name) &&
           !is_mathematics(name) && !is_vector(name) && !is_kept_by_a_standard(name) && !is_declared(name);
}
