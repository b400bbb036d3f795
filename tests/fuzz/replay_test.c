/* Every input of the kept corpora goes through its target: what a fuzzer has found once stays mended. */
#include "support/check.h"

#include "fuzz/target.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static uint8_t *read_all(const char *path, size_t *len)
{
    FILE *const f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    const long size = ftell(f);
    rewind(f);
    uint8_t *const bytes = malloc((size_t)size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size, f), (size_t)size);
    fclose(f);
    *len = (size_t)size;
    return bytes;
}

static void replay(const char *name, void (*feed)(const uint8_t *bytes, size_t len), unsigned at_least)
{
    char path[512];
    unsigned count = 0;
    snprintf(path, sizeof path, "tests/fuzz/corpus/%s", name);
    DIR *const folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *e = readdir(folder); e != NULL; e = readdir(folder)) {
        size_t len;
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "tests/fuzz/corpus/%s/%s", name, e->d_name);
        uint8_t *const bytes = read_all(path, &len);
        feed(bytes, len);
        feed(bytes, len / 2); /* cut off in the middle */
        free(bytes);
        count++;
    }
    closedir(folder);
    if (count < at_least)
        fail_msg("corpus/%s holds %u inputs, fewer than %u", name, count, at_least);
}

static void ptx_is_parsed_and_printed(void **state)
{
    (void)state;
    replay("ptx", fuzz_ptx, 10);
    replay("run", fuzz_ptx, 10);
}

static void contracts_are_read_and_written(void **state)
{
    (void)state;
    replay("contract", fuzz_contract, 4);
}

static void kernels_are_run(void **state)
{
    (void)state;
    replay("run", fuzz_run, 10);
    replay("ptx", fuzz_run, 10);
}

static void kernels_are_checked_and_watched(void **state)
{
    (void)state;
    replay("check", fuzz_check, 1);
    replay("run", fuzz_check, 10);
    replay("ptx", fuzz_check, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ptx_is_parsed_and_printed),
        cmocka_unit_test(contracts_are_read_and_written),
        cmocka_unit_test(kernels_are_run),
        cmocka_unit_test(kernels_are_checked_and_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
