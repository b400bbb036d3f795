#include "base/npy.h"

#include "base/bits.h"

#include <string.h>

static const char magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

struct header {
    struct str text;
    size_t at;
};

static void skip_space(struct header *h)
{
    while (h->at < h->text.len && (h->text.at[h->at] == ' ' || h->text.at[h->at] == '\n'))
        h->at++;
}

static bool accept(struct header *h, const char *word)
{
    skip_space(h);
    const size_t len = strlen(word);
    if (h->text.len - h->at < len || memcmp(h->text.at + h->at, word, len) != 0)
        return false;
    h->at += len;
    return true;
}

static bool read_quoted(struct header *h, struct str *out)
{
    if (!accept(h, "'"))
        return false;
    const size_t from = h->at;
    while (h->at < h->text.len && h->text.at[h->at] != '\'')
        h->at++;
    *out = (struct str){h->text.at + from, h->at - from};
    return accept(h, "'");
}

static bool read_count(struct header *h, int64_t *out)
{
    skip_space(h);
    const size_t from = h->at;
    int64_t n = 0;
    while (h->at < h->text.len && h->text.at[h->at] >= '0' && h->text.at[h->at] <= '9') {
        if (n > INT64_MAX / 16)
            return false;
        n = n * 10 + (h->text.at[h->at++] - '0');
    }
    *out = n;
    return h->at > from;
}

/* shape = "(" [ count { "," count } [ "," ] ] ")" */
static bool read_shape(struct header *h, struct npy *out)
{
    if (!accept(h, "("))
        return false;
    while (!accept(h, ")")) {
        if (out->rank >= TW_MAX_RANK || !read_count(h, &out->shape[out->rank]))
            return false;
        out->rank++;
        if (!accept(h, ",")) {
            return accept(h, ")");
        }
    }
    return true;
}

/* descr = ("<" | "|" | "=") kind bytes; big-endian data is refused by the caller */
static bool read_descr(struct str descr, struct npy *out)
{
    if (descr.len < 3 || strchr("<|=", descr.at[0]) == NULL || strchr("fiubV", descr.at[1]) == NULL)
        return false;
    struct header digits = {descr, 2};
    int64_t bytes;
    if (!read_count(&digits, &bytes) || digits.at != descr.len || bytes < 1 || bytes > 8)
        return false;
    out->kind = descr.at[1];
    out->bytes = (uint32_t)bytes;
    return is_pow2((uint64_t)bytes);
}

static const char *read_fields(struct arena *arena, struct header *h, struct npy *out)
{
    bool have_descr = false, have_order = false, have_shape = false;
    if (!accept(h, "{"))
        return "the header is not a dictionary";
    while (!accept(h, "}")) {
        struct str key, descr;
        if (!read_quoted(h, &key) || !accept(h, ":"))
            return "the header is damaged";
        if (tw_str_is(key, "descr")) {
            if (!read_quoted(h, &descr))
                return "the element type is a record; only plain arrays are read";
            if (!read_descr(descr, out))
                return tw_format(arena, "the element type '" STR_FMT "' is not read: little-endian floats, "
                                 "integers, bools and raw words of 1, 2, 4 or 8 bytes are", STR_ARG(descr));
            have_descr = true;
        } else if (tw_str_is(key, "fortran_order")) {
            out->fortran = accept(h, "True");
            have_order = out->fortran || accept(h, "False");
        } else if (tw_str_is(key, "shape")) {
            have_shape = read_shape(h, out);
        }
        if (!accept(h, ",")) {
            if (!accept(h, "}"))
                return "the header is damaged";
            break;
        }
    }
    return have_descr && have_order && have_shape ? NULL : "the header lacks descr, fortran_order or shape";
}

static const char *check_size(struct arena *arena, struct npy *out, size_t have)
{
    uint64_t want = out->bytes;
    for (uint32_t i = 0; i < out->rank; i++) {
        if (out->shape[i] != 0 && want > UINT64_MAX / 2 / (uint64_t)out->shape[i])
            return "the shape in the header is too large for any memory";
        want *= (uint64_t)out->shape[i];
    }
    if (want != have)
        return tw_format(arena, "the file holds %zu data bytes, its header announces %llu", have,
                         (unsigned long long)want);
    out->data_bytes = have;
    return NULL;
}

const char *tw_npy_read(struct arena *arena, struct str file, struct npy *out)
{
    *out = (struct npy){0};
    if (file.len < 10 || memcmp(file.at, magic, sizeof magic) != 0)
        return "this is not a .npy file (its first bytes are not \\x93NUMPY)";
    const unsigned char *b = (const unsigned char *)file.at;
    const unsigned version = b[6];
    if (version < 1 || version > 3)
        return tw_format(arena, "version %u of the .npy format is not known", version);
    size_t len = (size_t)b[8] | (size_t)b[9] << 8, start = 10;
    if (version >= 2) {
        if (file.len < 12)
            return "the file ends inside its header";
        len |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
        start = 12;
    }
    if (file.len - start < len)
        return "the file ends inside its header";
    struct header h = {{file.at + start, len}, 0};
    const char *wrong = read_fields(arena, &h, out);
    if (wrong != NULL)
        return wrong;
    out->data = b + start + len;
    return check_size(arena, out, file.len - start - len);
}

void tw_npy_shape_text(struct text *out, uint32_t rank, const int64_t *shape)
{
    tw_text_put(out, '(');
    for (uint32_t i = 0; i < rank; i++)
        tw_text_addf(out, i == 0 ? "%lld" : ", %lld", (long long)shape[i]);
    tw_text_add(out, rank == 1 ? ",)" : ")");
}

void tw_npy_write(struct text *out, const char *descr, uint32_t rank, const int64_t *shape, const void *data,
                  size_t data_bytes)
{
    struct text head;
    tw_text_init(&head, out->arena);
    tw_text_addf(&head, "{'descr': '%s', 'fortran_order': False, 'shape': ", descr);
    tw_npy_shape_text(&head, rank, shape);
    tw_text_add(&head, ", }");
    /* The data starts at a multiple of 64 bytes: magic, version and length take 10, a newline ends the header. */
    tw_text_pad(&head, ' ', 63 - (10 + head.len) % 64);
    tw_text_put(&head, '\n');
    tw_text_add_str(out, (struct str){magic, sizeof magic});
    tw_text_put(out, 1);
    tw_text_put(out, 0);
    tw_text_put(out, (char)(head.len & 255));
    tw_text_put(out, (char)(head.len >> 8));
    tw_text_add_str(out, (struct str){head.at, head.len});
    tw_text_add_str(out, (struct str){data, data_bytes});
}
