#include "support/check.h"

#include "ptx/contract.h"

static const struct contract *read_text(struct bench_room *room, const char *text)
{
    const uint32_t file = tw_sources_add(&room->sources, "k.json", tw_str(text));
    return tw_contract_read(&room->arena, file, &room->diags);
}

static const char whole[] = "{\n  \"entry\": \"k\",\n  \"grid\": [32, 2, 1], \"block\": [48, 1, 1], \"cluster\": [2, 1, 1],\n"
                            "  \"dynamic_shared_bytes\": 1024,\n  \"args\": [\n"
                            "    {\"name\": \"X\", \"kind\": \"tensor\", \"dtype\": \"float8_e4m3fn\", \"shape\": [32, 48]},\n"
                            "    {\"name\": \"n\", \"kind\": \"scalar\", \"dtype\": \"int32\", \"value\": \"48\"},\n"
                            "    {\"name\": \"s\", \"kind\": \"null\"},\n"
                            "    {\"name\": \"box\", \"kind\": \"bytes\", \"value\": \"00ff10\"}\n  ]\n}\n";

static void what_is_written_reads_back_the_same(void **state)
{
    struct bench_room *room = *state;
    const struct contract *c = read_text(room, whole);
    assert_non_null(c);
    assert_int_equal(c->grid[1], 2);
    assert_int_equal(c->cluster[0], 2);
    assert_int_equal(c->args.len, 4);
    assert_int_equal(c->args.at[3].byte_count, 3);
    assert_memory_equal(c->args.at[3].bytes, "\x00\xff\x10", 3);
    assert_int_equal(tw_contract_tensor_bytes(&c->args.at[0]), 32 * 48);
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_contract_write(c, &t);
    assert_string_equal(t.at, whole);
}

static void a_tensor_says_what_is_done_with_it(void **state)
{
    static const char text[] = "{\n  \"entry\": \"k\",\n  \"grid\": [1, 1, 1],\n  \"dynamic_shared_bytes\": 0,\n  \"args\": [\n"
                               "    {\"name\": \"X\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [2], \"in\": \"x.npy\"},\n"
                               "    {\"name\": \"Y\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [2], \"fill\": \"normal\", \"out\": \"a\\\"b\", "
                               "\"expect\": \"y.npy\", \"seed\": 9, \"rtol\": 1e-3, \"atol\": 0.5}\n  ],\n  \"tensors\": [\n"
                               "    {\"name\": \"Z\", \"dtype\": \"int8\", \"shape\": [2], \"expect\": \"z.npy\"}\n  ]\n}\n";
    struct bench_room *const room = *state;
    const struct contract *const c = read_text(room, text);
    assert_string_equal(tw_test_diags(room), "");
    assert_string_equal(c->args.at[0].uses[CONTRACT_IN], "x.npy");
    assert_null(c->args.at[0].uses[CONTRACT_OUT]);
    assert_string_equal(c->args.at[1].uses[CONTRACT_OUT], "a\"b");
    assert_int_equal(c->args.at[1].seed, 9);
    assert_string_equal(c->args.at[1].rtol, "1e-3");
    assert_string_equal(c->tensors.at[0].uses[CONTRACT_EXPECT], "z.npy");
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_contract_write(c, &t);
    assert_string_equal(t.at, text);
}

static void absent_dimensions_are_one(void **state)
{
    struct bench_room *room = *state;
    const struct contract *c = read_text(room, "{\"entry\": \"k\", \"grid\": 7, \"block\": [32], \"args\": []}");
    assert_non_null(c);
    assert_int_equal(c->grid[0], 7);
    assert_int_equal(c->grid[1], 1);
    assert_int_equal(c->block[1], 1);
}

/* 0: the launch takes what the entry declares, or 1. */
static void a_block_and_a_cluster_that_are_left_out_are_the_kernel_s_own(void **state)
{
    struct bench_room *room = *state;
    const struct contract *c = read_text(room, "{\"entry\": \"k\", \"args\": []}");
    struct text t;
    assert_non_null(c);
    assert_int_equal(c->grid[0], 1);
    assert_int_equal(c->block[0] + c->block[1] + c->block[2], 0);
    assert_int_equal(c->cluster[0] + c->cluster[1] + c->cluster[2], 0);
    tw_text_init(&t, &room->arena);
    tw_contract_write(c, &t);
    assert_string_equal(t.at, "{\n  \"entry\": \"k\",\n  \"grid\": [1, 1, 1],\n  \"dynamic_shared_bytes\": 0,\n  \"args\": []\n}\n");
}

static void sub_byte_tensors_are_packed(void **state)
{
    struct bench_room *room = *state;
    const struct contract *c = read_text(
        room, "{\"entry\": \"k\", \"args\": [{\"name\": \"X\", \"kind\": \"tensor\", \"dtype\": \"float4_e2m1fn\", \"shape\": [3, 3]}]}");
    assert_non_null(c);
    assert_int_equal(tw_contract_tensor_bytes(&c->args.at[0]), 5);
}

static void faults_are_named(void **state)
{
    static const struct { const char *text, *want; } rows[] = {
        {"{\"entry\": }", "k.json:1:11: error[E0610]: the launch contract is not JSON\n"
                          "    1 | {\"entry\": }\n      |           ^\n  expected: a value\n     found: '}'\n"},
        {"", "k.json:1:1: error[E0610]: the launch contract is not JSON\n"
             "    1 | \n      | ^\n  expected: a value\n     found: the end of the text\n"},
        {"{'entry': 1}", "k.json:1:2: error[E0610]: the launch contract is not JSON\n"
                         "    1 | {'entry': 1}\n      |  ^\n  expected: a string\n     found: '''\n"},
        {"{\"args\": []}", "k.json:1:1: error[E0611]: the launch contract lacks \"entry\" here\n"
                           "    1 | {\"args\": []}\n      | ^~~~~~~~~~~~\n  expected: a string\n"},
        {"{\"entry\": \"k\", \"gird\": 1, \"args\": []}",
         "k.json:1:24: error[E0612]: unknown field \"gird\"\n"
         "    1 | {\"entry\": \"k\", \"gird\": 1, \"args\": []}\n      |                        ^\n"
         "  expected: one of: entry, grid, block, cluster, dynamic_shared_bytes, args, tensors\n"},
        {"{\"entry\": \"k\", \"grid\": [0], \"args\": []}",
         "k.json:1:25: error[E0611]: field \"grid\" of the launch contract is out of range\n"
         "    1 | {\"entry\": \"k\", \"grid\": [0], \"args\": []}\n      |                         ^\n"
         "  expected: an integer from 1 to 2147483647\n     found: 0\n"},
        {"{\"entry\": \"k\", \"grid\": [], \"args\": []}",
         "k.json:1:24: error[E0611]: field \"grid\" of the launch contract has 0 dimensions\n"
         "    1 | {\"entry\": \"k\", \"grid\": [], \"args\": []}\n      |                        ^~\n"
         "  expected: one to three positive integers\n"},
        {"{\"entry\": \"k\", \"block\": [1, 2, 3, 4], \"args\": []}",
         "k.json:1:25: error[E0611]: field \"block\" of the launch contract has 4 dimensions\n"
         "    1 | {\"entry\": \"k\", \"block\": [1, 2, 3, 4], \"args\": []}\n      |                         ^~~~~~~~~~~~\n"
         "  expected: one to three positive integers\n"},
        {"{\"entry\": \"k\", \"grid\": 1, \"args\": [], \"grid\": 2}",
         "k.json:1:47: error[E0612]: field \"grid\" is there twice\n"
         "    1 | {\"entry\": \"k\", \"grid\": 1, \"args\": [], \"grid\": 2}\n"
         "      |                                               ^\n"},
        {"{\"entry\": \"k\", \"args\": [{\"name\": \"X\", \"kind\": \"null\", \"name\": \"Y\"}]}",
         "k.json:1:63: error[E0612]: field \"name\" is there twice\n"
         "    1 | {\"entry\": \"k\", \"args\": [{\"name\": \"X\", \"kind\": \"null\", \"name\": \"Y\"}]}\n"
         "      |                                                               ^~~\n"},
        {"{\"entry\": \"k\", \"args\": [{\"name\": \"n\", \"kind\": \"scalar\", \"dtype\": \"int8\"},\n"
         "{\"name\": \"n\", \"kind\": \"scalar\", \"dtype\": \"int8\"}]}",
         "k.json:2:1: error[E0611]: two scalars of the launch contract are called \"n\"\n"
         "    2 | {\"name\": \"n\", \"kind\": \"scalar\", \"dtype\": \"int8\"}]}\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "k.json:1:25: note: the first is here\n"
         "    1 | {\"entry\": \"k\", \"args\": [{\"name\": \"n\", \"kind\": \"scalar\", \"dtype\": \"int8\"},\n"
         "      |                         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
        {"{\"entry\": \"k\", \"args\": [{\"name\": \"t\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": []}], \"tensors\": [\n"
         "{\"name\": \"t\", \"dtype\": \"int8\", \"shape\": []}]}",
         "k.json:2:1: error[E0611]: two tensors of the launch contract are called \"t\"\n"
         "    2 | {\"name\": \"t\", \"dtype\": \"int8\", \"shape\": []}]}\n"
         "      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
         "k.json:1:25: note: the first is here\n"
         "    1 | {\"entry\": \"k\", \"args\": [{\"name\": \"t\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": []}], \"tensors\": [\n"
         "      |                         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"},
        {"{\"entry\": \"k\", \"args\": [{\"name\": \"X\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [2],\n\"in\": \"a\", \"fill\": \"ones\"}]}",
         "k.json:2:20: error[E0611]: field \"fill\" of the launch contract stands beside \"in\"\n"
         "    2 | \"in\": \"a\", \"fill\": \"ones\"}]}\n"
         "      |                    ^~~~~~\n"
         "  expected: one of them\n"},
        {"{\"entry\": \"k\", \"args\": [{\"name\": \"X\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [2],\n\"seed\": 3}]}",
         "k.json:2:9: error[E0611]: field \"seed\" of the launch contract stands without \"fill\"\n"
         "    2 | \"seed\": 3}]}\n"
         "      |         ^\n"
         "  expected: \"fill\" beside it\n"},
        {"{\"entry\": \"k\", \"args\": [{\"name\": \"X\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [2],\n\"rtol\": 1}]}",
         "k.json:2:9: error[E0611]: field \"rtol\" of the launch contract stands without \"expect\"\n"
         "    2 | \"rtol\": 1}]}\n"
         "      |         ^\n"
         "  expected: \"expect\" beside it\n"},
        {"{\"entry\": \"k\", \"args\": [{\"name\": \"X\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [2],\n\"expect\": \"y\", \"atol\": -1.5}]}",
         "k.json:2:24: error[E0611]: field \"atol\" of the launch contract is out of range\n"
         "    2 | \"expect\": \"y\", \"atol\": -1.5}]}\n"
         "      |                        ^~~~\n"
         "  expected: a number, 0 or more, of binary64\n"
         "     found: -1.5\n"},
        {"{\"entry\": \"k\", \"args\": [{\"name\": \"X\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [2],\n\"expect\": \"y\", \"rtol\": 1e999}]}",
         "k.json:2:24: error[E0611]: field \"rtol\" of the launch contract is out of range\n"
         "    2 | \"expect\": \"y\", \"rtol\": 1e999}]}\n"
         "      |                        ^~~~~\n"
         "  expected: a number, 0 or more, of binary64\n"
         "     found: 1e999\n"},
        {"{\"entry\": \"k\", \"args\": [{\"name\": \"X\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [2],\n\"expect\": \"y\", \"rtol\": \"1\"}]}",
         "k.json:2:24: error[E0611]: field \"rtol\" of the launch contract has the wrong type\n"
         "    2 | \"expect\": \"y\", \"rtol\": \"1\"}]}\n"
         "      |                        ^~~\n"
         "  expected: a number, 0 or more\n"
         "     found: a string\n"},
        {"{\"entry\": \"k\", \"args\": [{\"name\": \"X\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [2],\n\"out\": 7}]}",
         "k.json:2:8: error[E0611]: field \"out\" of the launch contract has the wrong type\n"
         "    2 | \"out\": 7}]}\n"
         "      |        ^\n"
         "  expected: a string\n"
         "     found: a number\n"},
        {"{\"entry\": \"k\", \"args\": [{\"name\": \"X\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [2],\n\"fill\": \"ones\", \"seed\": -1}]}",
         "k.json:2:25: error[E0611]: field \"seed\" of the launch contract is out of range\n"
         "    2 | \"fill\": \"ones\", \"seed\": -1}]}\n"
         "      |                         ^~\n"
         "  expected: an integer from 0 to 9223372036854775807\n"
         "     found: -1\n"},
        {"{\"entry\": \"k\", \"args\": [{\"name\": \"X\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": [2],\n\"out\": \"\"}]}",
         "k.json:2:8: error[E0611]: field \"out\" of the launch contract has the wrong type\n"
         "    2 | \"out\": \"\"}]}\n"
         "      |        ^~\n"
         "  expected: a string that is not empty\n"
         "     found: a string\n"},
        {"[]", "k.json:1:1: error[E0611]: the launch contract is no object\n"
               "    1 | []\n      | ^~\n  expected: {\"entry\": ..., \"args\": [...]}\n     found: an array\n"},
        {"\xef\xbb\xbf{}", "k.json:1:1: error[E0610]: the launch contract is not JSON\n"
                           "    1 | \xef\xbb\xbf{}\n      | ^\n  expected: a value\n     found: a byte order mark\n"},
        {"{\"entry\": \"k\", \"args\": [{\"name\": \"X\", \"kind\": \"table\"}]}",
         "k.json:1:47: error[E0611]: unknown kind of argument \"table\"\n"
         "    1 | {\"entry\": \"k\", \"args\": [{\"name\": \"X\", \"kind\": \"table\"}]}\n"
         "      |                                               ^~~~~~~\n  expected: tensor, scalar, null, scratch, tensor_map or bytes\n"},
        {"{\"entry\": \"k\", \"args\": [{\"name\": \"b\", \"kind\": \"bytes\", \"value\": \"012\"}]}",
         "k.json:1:65: error[E0611]: field \"value\" of the launch contract is not hexadecimal\n"
         "    1 | {\"entry\": \"k\", \"args\": [{\"name\": \"b\", \"kind\": \"bytes\", \"value\": \"012\"}]}\n"
         "      |                                                                 ^~~~~\n"
         "  expected: a string of two hexadecimal digits a byte\n     found: an odd number of them\n"},
        {"{\"entry\": \"k\", \"args\": [{\"name\": \"b\", \"kind\": \"bytes\", \"value\": \"0g\"}]}",
         "k.json:1:65: error[E0611]: field \"value\" of the launch contract is not hexadecimal\n"
         "    1 | {\"entry\": \"k\", \"args\": [{\"name\": \"b\", \"kind\": \"bytes\", \"value\": \"0g\"}]}\n"
         "      |                                                                 ^~~~\n"
         "  expected: a string of two hexadecimal digits a byte\n     found: character 2 is no such digit\n"},
        {"{\"entry\": \"k\", \"args\": [{\"name\": 3, \"kind\": \"null\"}]}",
         "k.json:1:34: error[E0611]: field \"name\" of the launch contract has the wrong type\n"
         "    1 | {\"entry\": \"k\", \"args\": [{\"name\": 3, \"kind\": \"null\"}]}\n"
         "      |                                  ^\n  expected: a string\n     found: a number\n"},
        {"{\"entry\": \"k\", \"args\": [{\"name\": \"X\", \"kind\": \"scalar\", \"dtype\": \"half\"}]}",
         "k.json:1:66: error[E0613]: unknown dtype \"half\"\n"
         "    1 | {\"entry\": \"k\", \"args\": [{\"name\": \"X\", \"kind\": \"scalar\", \"dtype\": \"half\"}]}\n"
         "      |                                                                  ^~~~~~\n"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tw_test_setup(state);
        struct bench_room *room = *state;
        assert_null(read_text(room, rows[i].text));
        const char *got = tw_test_diags(room);
        if (strstr(rows[i].want, "E0613") != NULL)
            assert_memory_equal(got, rows[i].want, strlen(rows[i].want));
        else
            assert_string_equal(got, rows[i].want);
        tw_test_teardown(state);
    }
}

/* Only what an option or a map calls by its name needs one of its own. */
static void pointers_that_nobody_names_may_be_called_alike(void **state)
{
    struct bench_room *room = *state;
    assert_non_null(read_text(room, "{\"entry\": \"k\", \"args\": [{\"name\": \"p\", \"kind\": \"null\"}, {\"name\": \"p\", \"kind\": \"null\"},"
                                    "{\"name\": \"p\", \"kind\": \"scratch\", \"bytes\": 4}, {\"name\": \"p\", \"kind\": \"scalar\", \"dtype\": \"int8\"},"
                                    "{\"name\": \"p\", \"kind\": \"tensor\", \"dtype\": \"int8\", \"shape\": []}]}"));
    assert_string_equal(tw_test_diags(room), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(what_is_written_reads_back_the_same),
        ROOM_TEST(a_tensor_says_what_is_done_with_it),
        ROOM_TEST(absent_dimensions_are_one),
        ROOM_TEST(a_block_and_a_cluster_that_are_left_out_are_the_kernel_s_own),
        ROOM_TEST(sub_byte_tensors_are_packed),
        cmocka_unit_test(faults_are_named),
        ROOM_TEST(pointers_that_nobody_names_may_be_called_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
