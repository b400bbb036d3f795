/* vprintf of a kernel. SOURCE: CUDA C++ Programming Guide, "Formatted Output": the host formats with its own library.
 *
 * Arguments lie in a block, each aligned to its size. */
#include "machine/format_output.h"

#include "machine/format_float.h"

#include <string.h>

enum { MAX_STRING = 1 << 16, MAX_WIDTH = 1024 };

static bool read_byte(struct warp *w, uint32_t lane, uint64_t address, char *c)
{
    const uint8_t *const at = tw_access(w, lane, SPACE_GENERIC, address, 1, 1, false);
    if (at != NULL)
        *c = (char)*at;
    return at != NULL;
}

bool tw_guest_string(struct warp *w, uint32_t lane, uint64_t address, struct text *out)
{
    for (uint32_t i = 0; i < MAX_STRING; i++) {
        char c;
        if (!read_byte(w, lane, address + i, &c))
            return false;
        if (c == '\0')
            return true;
        tw_text_put(out, c);
    }
    return true;
}

struct printer {
    struct warp *w;
    uint32_t lane;
    uint64_t next; /* address of the next argument */
    uint32_t count;
    struct text *out;
};

static bool next_argument(struct printer *p, uint32_t bytes, uint64_t *value)
{
    p->next = (p->next + bytes - 1) / bytes * bytes;
    const uint8_t *const at = tw_access(p->w, p->lane, SPACE_GENERIC, p->next, bytes, bytes, false);
    if (at == NULL)
        return false;
    *value = 0;
    memcpy(value, at, bytes);
    p->next += bytes;
    p->count++;
    return true;
}

static void pad_out(struct printer *p, const struct conversion *c, const char *text, size_t len)
{
    const size_t pad = c->width > len ? c->width - len : 0;
    if (!c->left)
        tw_text_pad(p->out, ' ', pad);
    tw_text_add_str(p->out, (struct str){text, len});
    if (c->left)
        tw_text_pad(p->out, ' ', pad);
}

static void print_integer(struct printer *p, const struct conversion *c, uint64_t value)
{
    char digits[24], text[MAX_WIDTH + 64];
    const bool is_signed = c->letter == 'd' || c->letter == 'i';
    const bool negative = is_signed && (int64_t)value < 0;
    uint64_t rest = negative ? 0 - value : value;
    const unsigned base = c->letter == 'x' || c->letter == 'X' || c->letter == 'p' ? 16 : c->letter == 'o' ? 8 : 10;
    const char *const letters = c->letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    size_t count = 0, len = 0;
    for (; rest != 0 || count == 0; rest /= base)
        digits[count++] = letters[rest % base];
    if (negative || c->plus || c->space)
        text[len++] = negative ? '-' : c->plus ? '+' : ' ';
    if (c->alternate && base == 8 && value != 0)
        text[len++] = '0';
    if (c->letter == 'p' || (c->alternate && base == 16 && value != 0)) {
        text[len++] = '0';
        text[len++] = c->letter == 'X' ? 'X' : 'x';
    }
    size_t fill = c->precision > 0 && (size_t)c->precision > count ? (size_t)c->precision - count : 0;
    if (c->zero && !c->left && c->precision < 0 && c->width > len + count)
        fill = c->width - len - count;
    while (fill-- > 0 && len < MAX_WIDTH)
        text[len++] = '0';
    while (count > 0)
        text[len++] = digits[--count];
    pad_out(p, c, text, len);
}

/* An int, or the short or char that h and hh make of it. */
static uint64_t narrowed(const struct conversion *c, uint64_t value)
{
    if (c->letter == 'd' || c->letter == 'i')
        return (uint64_t)(int64_t)(c->narrow == 0 ? (int32_t)value : c->narrow == 1 ? (int16_t)value : (int8_t)value);
    return c->narrow == 0 ? (uint32_t)value : c->narrow == 1 ? (uint16_t)value : (uint8_t)value;
}

/* The arguments that stand for '*': a negative width is the flag '-', a negative precision is none. */
static bool take_stars(struct printer *p, struct conversion *c)
{
    uint64_t value;
    if (c->width_argument) {
        if (!next_argument(p, 4, &value))
            return false;
        const int64_t width = (int32_t)value;
        c->left |= width < 0;
        c->width = (uint32_t)(width < 0 ? -width : width);
        c->width = c->width > MAX_WIDTH ? MAX_WIDTH : c->width;
    }
    if (c->precision_argument) {
        if (!next_argument(p, 4, &value))
            return false;
        const int32_t precision = (int32_t)value;
        c->precision = precision < 0 ? -1 : precision > MAX_WIDTH ? MAX_WIDTH : precision;
    }
    return true;
}

/* MEASURED: H200, driver 580.159.04: a null pointer prints as "(null)", padded like any other text. */
static bool text_argument(struct printer *p, struct text *out)
{
    uint64_t address;
    if (!next_argument(p, 8, &address))
        return false;
    if (address != 0)
        return tw_guest_string(p->w, p->lane, address, out);
    tw_text_add(out, "(null)");
    return true;
}

static bool print_one(struct printer *p, struct conversion *c)
{
    if (!take_stars(p, c))
        return false;
    uint64_t value;
    struct text piece;
    tw_text_init(&piece, p->out->arena);
    if (c->letter == 's') {
        if (!text_argument(p, &piece))
            return false;
        const size_t len = c->precision >= 0 && (size_t)c->precision < piece.len ? (size_t)c->precision : piece.len;
        pad_out(p, c, piece.at, len);
    } else if (c->letter == 'c') {
        if (!next_argument(p, 4, &value))
            return false;
        tw_text_put(&piece, (char)value);
        pad_out(p, c, piece.at, piece.len);
    } else if (strchr("fFeEgGaA", c->letter) != NULL) {
        if (!next_argument(p, 8, &value))
            return false;
        tw_format_float(p->out, c, value);
    } else {
        if (!next_argument(p, c->wide || c->letter == 'p' ? 8 : 4, &value))
            return false;
        if (c->letter == 'p' && value == 0)
            pad_out(p, c, "(nil)", 5);
        else
            print_integer(p, c, c->wide || c->letter == 'p' ? value : narrowed(c, value));
    }
    return true;
}

/* Digits, or '*' for an argument. */
static const char *parse_number(const char *at, uint32_t *out, bool *argument)
{
    *out = 0;
    *argument = *at == '*';
    if (*argument)
        return at + 1;
    for (; *at >= '0' && *at <= '9'; at++)
        if (*out < MAX_WIDTH)
            *out = *out * 10 + (uint32_t)(*at - '0');
    if (*out > MAX_WIDTH)
        *out = MAX_WIDTH;
    return at;
}

/* Behind the percent sign; returns the place after the letter, or NULL if it is no conversion. */
static const char *parse_conversion(const char *at, struct conversion *c)
{
    *c = (struct conversion){.precision = -1};
    for (; *at != '\0' && strchr("-0+ #", *at) != NULL; at++) {
        c->left |= *at == '-';
        c->zero |= *at == '0';
        c->plus |= *at == '+';
        c->space |= *at == ' ';
        c->alternate |= *at == '#';
    }
    at = parse_number(at, &c->width, &c->width_argument);
    if (*at == '.') {
        uint32_t precision;
        at = parse_number(at + 1, &precision, &c->precision_argument);
        c->precision = (int32_t)precision;
    }
    for (; *at != '\0' && strchr("hlLqjzt", *at) != NULL; at++) {
        c->wide |= *at != 'h';
        c->narrow = (uint8_t)(*at == 'h' ? c->narrow + 1 : 0);
    }
    if (*at == '\0' || strchr("diuoxXpcsfFeEgGaA", *at) == NULL)
        return NULL;
    c->letter = *at;
    return at + 1;
}

int64_t tw_format_output(struct warp *w, uint32_t lane, uint64_t format, uint64_t arguments, struct text *out)
{
    struct text spec;
    tw_text_init(&spec, out->arena);
    if (!tw_guest_string(w, lane, format, &spec))
        return -1;
    struct printer p = {.w = w, .lane = lane, .next = arguments, .out = out};
    for (const char *at = spec.at; at != NULL && *at != '\0';) {
        struct conversion c;
        const char *after;
        if (*at != '%') {
            tw_text_put(out, *at++);
        } else if (at[1] == '%') {
            tw_text_put(out, '%');
            at += 2;
        } else if ((after = parse_conversion(at + 1, &c)) != NULL) {
            if (!print_one(&p, &c))
                return -1;
            at = after;
        } else {
            tw_text_put(out, *at++); /* as written */
        }
    }
    return p.count;
}
