/* The lexer and parser: what texts parse to (after the Python grammar), and what is said about texts
 * that do not parse. */
#include "ast_text.h"
#include "lang/parse.h"
#include "seeds.h"

#include "base/limits.h"

static struct block parse_file(struct bench_room *room, uint32_t file)
{
    struct interner names;
    tw_interner_init(&names, &room->arena);
    return tw_lang_parse(&room->arena, &room->sources, file, &room->diags, &names);
}

static struct block parse(struct bench_room *room, const char *text)
{
    return parse_file(room, tw_sources_add(&room->sources, "k.py", tw_str(text)));
}

static const char *parsed(struct bench_room *room, const char *text)
{
    const struct block b = parse(room, text);
    tw_test_expect_diags(room, "");
    struct text out;
    tw_text_init(&out, &room->arena);
    for (uint32_t i = 0; i < b.len; i++) {
        tw_text_add(&out, i == 0 ? "" : "; ");
        put_stmt(&out, b.at[i]);
    }
    return out.at == NULL ? "" : out.at;
}

struct parse_case {
    const char *text, *want;
};

static void expect_table(struct bench_room *room, const struct parse_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_string_equal(parsed(room, cases[i].text), cases[i].want);
}

/* Python reference, "Operator precedence". */
static void operators_bind_as_in_python(void **state)
{
    static const struct parse_case cases[] = {
        {"a or b and c", "(or a (and b c))"},
        {"not a == b", "(not (a == b))"},
        {"not a in b or c", "(or (not (a in b)) c)"},
        {"a < b <= c != d", "(a < b <= c != d)"},
        {"a is not b", "(a is not b)"},
        {"a not in b", "(a not in b)"},
        {"a | b ^ c & d << e", "(| a (^ b (& c (<< d e))))"},
        {"a + b * c - d // e % f", "(- (+ a (* b c)) (% (// d e) f))"},
        {"4 @ lane + 2 @ warp", "(+ (@ 4 lane) (@ 2 warp))"},
        {"-a ** -b ** c", "(neg (** a (neg (** b c))))"},
        {"~-+a", "(~ (neg (pos a)))"},
        {"a - b - c", "(- (- a b) c)"},
        {"x if a else y if b else z", "(if a x (if b y z))"},
        {"lambda a, b=2, *c, **d: a + b", "(lambda ( a b=2 *c **d) (+ a b))"},
        {"a or b or c", "(or a b c)"},
        {"(a or b) or c", "(or (or a b) c)"},
        {"a >> 1 & 3", "(& (>> a 1) 3)"},
    };
    expect_table(*state, cases, COUNT(cases));
}

static void primaries_chain_calls_attributes_and_subscripts(void **state)
{
    static const struct parse_case cases[] = {
        {"T.ptx.tcgen05.alloc.cta_group__1(a, T.uint32(64))", "(call T.ptx.tcgen05.alloc.cta_group__1 a (call T.uint32 64))"},
        {"S[(8, 4) : (4 @ laneid, 1)]", "S[(slice (tuple 8 4) (tuple (@ 4 laneid) 1) _)]"},
        {"A[0, kk, lane // 4 + 8 * (r % 2)]", "A[(tuple 0 kk (+ (// lane 4) (* 8 (% r 2))))]"},
        {"t[:, 1:2, ::4, a:]", "t[(tuple (slice _ _ _) (slice 1 2 _) (slice _ _ 4) (slice a _ _))]"},
        {"f(*a, k=1, **b)", "(call f *a k=1 **b)"},
        {"f(x for x in y)", "(call f (comp( x (for x y)))"},
        {"f(a)(b)[c].d", "(call (call f a) b)[c].d"},
        {"f(a,)", "(call f a)"},
        {"x[1,]", "x[(tuple 1)]"},
    };
    expect_table(*state, cases, COUNT(cases));
}

static void displays_and_comprehensions_parse(void **state)
{
    static const struct parse_case cases[] = {
        {"()", "(tuple)"},
        {"(1,)", "(tuple 1)"},
        {"(1)", "1"},
        {"[1, *a]", "(list 1 (star a))"},
        {"[(1, 2)]", "(list (tuple 1 2))"},
        {"{1, 2}", "(set 1 2)"},
        {"{}", "(dict)"},
        {"{'a': 1, **b}", "(dict \"a\" 1 _ b)"},
        {"[i * 2 for i in range(4) if i % 2 for j in i]", "(comp[ (* i 2) (for i (call range 4) (% i 2)) (for j i))"},
        {"{k: v for k, v in d}", "(comp{ k v (for (tuple k v) d))"},
        {"{x for x in y}", "(comp{ x (for x y))"},
        {"(yield)", "(yield _)"},
        {"...", "..."},
    };
    expect_table(*state, cases, COUNT(cases));
}

/* Python reference, "Literals". */
static void literals_have_their_values(void **state)
{
    static const struct parse_case cases[] = {
        {"0x_1F", "31"}, {"0b1010", "10"}, {"0o17", "15"}, {"1_000", "1000"}, {"00", "0"},
        {"0xFFFFFFFFFFFFFFFF", "18446744073709551615"}, {"18446744073709551616", "huge"},
        {"1.5", "1.5"}, {".5e-3", ".5e-3"}, {"1e10", "1e10"}, {"1.", "1."}, {"1_0.0_1", "1_0.0_1"},
        {"'a' \"b\" '''c'''", "\"abc\""},
        {"'\\n\\x41\\101\\u00e9\\q'", "\"\\nAA\303\251\\\\q\""},
        {"r'\\n'", "\"\\\\n\""},
        {"b'\\x41'", "b\"A\""},
        {"'''two\nlines'''", "\"two\\nlines\""},
        {"'a\\\nb'", "\"ab\""},
        {"None, True, False", "(tuple None True False)"},
    };
    expect_table(*state, cases, COUNT(cases));
}

static void f_strings_keep_their_parts(void **state)
{
    static const struct parse_case cases[] = {
        {"f'tcgen05.{a + 1}::{b}'", "(f \"tcgen05.\" {(+ a 1)} \"::\" {b})"},
        {"f'{{x}}'", "(f \"{x}\")"},
        {"f'{a!r:>{w}}'", "(f {a!r:(f \">\" {w})})"},
        {"f'{x=}'", "(f {x=x})"},
        {"f'{d[\"k\"]}' 'tail'", "(f {d[\"k\"]} \"tail\")"},
        {"f'{a != b}'", "(f {(a != b)})"},
        {"f'{f\"{a}\"}'", "(f {(f {a})})"},
        {"f\"{f\"{a}\"}\"", "(f {(f {a})})"},
        {"rf'\\{a}'", "(f \"\\\\\" {a})"},
    };
    expect_table(*state, cases, COUNT(cases));
}

static void simple_statements_parse(void **state)
{
    static const struct parse_case cases[] = {
        {"a = b = 1", "(= a b) 1"},
        {"a, *b = c", "(= (tuple a (star b))) c"},
        {"x.y[0] = 1; z = 2;", "(= x.y[0]) 1; (= z) 2"},
        {"x: T.int32 = 3", "(annotated x T.int32) 3"},
        {"x: T.float32[2, 4]", "(annotated x T.float32[(tuple 2 4)]) _"},
        {"x //= 2; y @= 3; z **= 4", "(//= x 2); (@= y 3); (**= z 4)"},
        {"import a.b.c, numpy as np", "(import a.b.c numpy=>np)"},
        {"from tvm.script import tirx as T", "(from 0:tvm.script tirx=>T)"},
        {"from .. import (a, b as c,)", "(from 2: a b=>c)"},
        {"from x import *", "(from 0:x *)"},
        {"assert a, 'no'", "(assert a \"no\")"},
        {"raise E from e", "(raise E e)"},
        {"raise", "(raise _ _)"},
        {"del a, b[0]", "(del a b[0])"},
        {"global a, b", "(global a b)"},
        {"pass", "pass"},
    };
    expect_table(*state, cases, COUNT(cases));
}

static void compound_statements_parse(void **state)
{
    static const struct parse_case cases[] = {
        {"if a: pass\nelif b:\n  x\nelse:\n  y\n", "(if a {pass} b {x} else {y})"},
        {"for i, j in T.grid(2, 4):\n break\nelse: pass\n", "(for (tuple i j) (call T.grid 2 4) {break} else {pass})"},
        {"for (a, b) in c: pass", "(for (tuple a b) c {pass})"},
        {"while a:\n  continue\n", "(while a {continue})"},
        {"with a as b, c:\n  pass\n", "(with a as b c {pass})"},
        {"with (a as b, c):\n  pass\n", "(with a as b c {pass})"},
        {"with (a): pass", "(with a {pass})"},
        {"try:\n  a\nexcept E as e:\n  b\nexcept:\n  c\nelse:\n  d\nfinally:\n  e\n",
         "(try {a} except E e {b} except _ _ {c} else {d} finally {e})"},
        {"@T.function\n@f(1)\ndef k(a: T.int32, *, b=1) -> None:\n  return a\n",
         "(def k ( a:T.int32 kw:b=1) @T.function @(call f 1) -> None {(return a)})"},
        {"def f(a, /, b): pass", "(def f ( pos:a b) {pass})"},
        {"class A(B, m=C):\n x = 1\n", "(class A B m=C {(= x) 1})"},
        {"def f():\n  for i in x:\n    def g(): return 1\n    break\n", "(def f () {(for i x {(def g () {(return 1)}); break})})"},
    };
    expect_table(*state, cases, COUNT(cases));
}

static void layout_of_lines_does_not_matter_inside_brackets(void **state)
{
    static const struct parse_case cases[] = {
        {"f(\n    a, # one\n\n b\n)\nc\n", "(call f a b); c"},
        {"x = 1 + \\\n    2\n", "(= x) (+ 1 2)"},
        {"if a:\n\n    # comment at another depth\n  # and another\n    b\n\n\nc\n", "(if a {b}); c"},
        {"if a:\n\tb\n\tc\n", "(if a {b; c})"},
        {"if a:\r\n  b\r\nc\r\n", "(if a {b}); c"},
        {"\xEF\xBB\xBFx\n", "x"},
        {"x", "x"},
        {"", ""},
        {"\n\n# only a comment", ""},
        {"if a:\n  if b:\n    c", "(if a {(if b {c})})"},
    };
    expect_table(*state, cases, COUNT(cases));
}

static void expect_error(struct bench_room *room, const char *text, const char *want)
{
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    parse(room, text);
    tw_test_expect_diags(room, want);
}

static void what_a_rule_misses_is_named(void **state)
{
    static const struct parse_case cases[] = {
        {"for i range(4):\n    pass\n",
         "k.py:1:7: error[E0101]: the 'for' statement is not complete\n"
         "    1 | for i range(4):\n"
         "      |       ^~~~~\n"
         "  expected: 'in'\n"
         "     found: the name 'range'\n"},
        {"if a\n    b\n",
         "k.py:1:5: error[E0101]: the 'if' statement is not complete\n"
         "    1 | if a\n"
         "      |     ^\n"
         "  expected: ':'\n"
         "     found: the end of the line\n"},
        {"x = (1 + )\n",
         "k.py:1:10: error[E0101]: the expression is not complete\n"
         "    1 | x = (1 + )\n"
         "      |          ^\n"
         "  expected: an expression\n"
         "     found: ')'\n"},
        {"f(a b)\n",
         "k.py:1:5: error[E0101]: the call is not complete\n"
         "    1 | f(a b)\n"
         "      |     ^\n"
         "  expected: ',' or ')'\n"
         "     found: the name 'b'\n"},
        {"x = 3 4\n",
         "k.py:1:7: error[E0101]: the statement is not complete\n"
         "    1 | x = 3 4\n"
         "      |       ^\n"
         "  expected: an operator or the end of the line\n"
         "     found: the number '4'\n"},
        {"print x\n",
         "k.py:1:7: error[E0101]: 'print' begins no statement\n"
         "    1 | print x\n"
         "      |       ^\n"
         "     found: two names in a row\n"},
        {"else:\n  pass\n",
         "k.py:1:1: error[E0101]: 'else' belongs to no statement above it\n"
         "    1 | else:\n"
         "      | ^~~~\n"},
        {"try:\n  a\nb\n",
         "k.py:3:1: error[E0101]: the 'try' statement is not complete\n"
         "    3 | b\n"
         "      | ^\n"
         "  expected: 'except' or 'finally'\n"
         "     found: the name 'b'\n"},
        {"import 3\n",
         "k.py:1:8: error[E0101]: the import is not complete\n"
         "    1 | import 3\n"
         "      |        ^\n"
         "  expected: a name\n"
         "     found: the number '3'\n"},
        {"@T.function\nx = 1\n",
         "k.py:2:1: error[E0101]: the decorator is not complete\n"
         "    2 | x = 1\n"
         "      | ^\n"
         "  expected: 'def' or 'class' on the next line\n"
         "     found: the name 'x'\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_error(*state, cases[i].text, cases[i].want);
}

static void faults_of_characters_strings_and_numbers_are_named(void **state)
{
    static const struct parse_case cases[] = {
        {"a = $b\n",
         "k.py:1:5: error[E0102]: the character '$' does not belong here\n"
         "    1 | a = $b\n"
         "      |     ^\n"},
        {"a = \xE2\x80\x9Cx\xE2\x80\x9D\n",
         "k.py:1:5: error[E0102]: the character '\xE2\x80\x9C' does not belong here\n"
         "    1 | a = \xE2\x80\x9Cx\xE2\x80\x9D\n"
         "      |     ^~~\n"
         "k.py:1:9: error[E0102]: the character '\xE2\x80\x9D' does not belong here\n"
         "    1 | a = \xE2\x80\x9Cx\xE2\x80\x9D\n"
         "      |         ^~~\n"},
        {"a = \x01\n",
         "k.py:1:5: error[E0102]: the control character 0x01 does not belong in a program\n"
         "    1 | a = ?\n"
         "      |     ^\n"},
        {"a = 'x\nb = 1\n",
         "k.py:1:5: error[E0103]: this string is never closed\n"
         "    1 | a = 'x\n"
         "      |     ^\n"
         "  expected: ' before the end of the line\n"},
        {"a = '''x\n",
         "k.py:1:5: error[E0103]: this string is never closed\n"
         "    1 | a = '''x\n"
         "      |     ^~~\n"
         "  expected: ''' before the end of the file\n"},
        {"a = 0x\n",
         "k.py:1:5: error[E0107]: the number '0x' is not well formed\n"
         "    1 | a = 0x\n"
         "      |     ^~\n"
         "     found: no hexadecimal number after '0x'\n"},
        {"a = 012\n",
         "k.py:1:5: error[E0107]: the number '012' is not well formed\n"
         "    1 | a = 012\n"
         "      |     ^~~\n"
         "     found: a leading zero; octal numbers are written 0o17\n"},
        {"a = 12ab\n",
         "k.py:1:5: error[E0107]: the number '12ab' is not well formed\n"
         "    1 | a = 12ab\n"
         "      |     ^~~~\n"
         "     found: letters directly after the digits\n"},
        {"a = '\\x4'\n",
         "k.py:1:6: error[E0108]: this escape sequence is not complete\n"
         "    1 | a = '\\x4'\n"
         "      |      ^~~\n"
         "  expected: two hexadecimal digits after \\x\n"},
        {"a = 'x' b'y'\n",
         "k.py:1:9: error[E0108]: bytes and text do not join into one string\n"
         "    1 | a = 'x' b'y'\n"
         "      |         ^~~~\n"},
        {"a = f'{x'\n",
         "k.py:1:7: error[E0108]: this field of the f-string is not well formed: the field is never closed\n"
         "    1 | a = f'{x'\n"
         "      |       ^\n"},
        {"a = f'x}'\n",
         "k.py:1:8: error[E0108]: this field of the f-string is not well formed: '}' closes nothing; a brace in the text is "
         "written '}}'\n"
         "    1 | a = f'x}'\n"
         "      |        ^\n"},
        {"a = f'{x!z}'\n",
         "k.py:1:7: error[E0108]: this field of the f-string is not well formed: after '!' stands one of r, s, a\n"
         "    1 | a = f'{x!z}'\n"
         "      |       ^\n"},
        {"a = f'{b +}'\n",
         "k.py:1:11: error[E0101]: the expression is not complete\n"
         "    1 | a = f'{b +}'\n"
         "      |           ^\n"
         "  expected: an expression\n"
         "     found: the end of the field\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_error(*state, cases[i].text, cases[i].want);
}

static void brackets_that_do_not_pair_are_named(void **state)
{
    static const struct parse_case cases[] = {
        {"f(a]\n",
         "k.py:1:4: error[E0105]: ']' does not close '('\n"
         "    1 | f(a]\n"
         "      |    ^\n"
         "  expected: ')'\n"
         "k.py:1:2: note: opened here\n"
         "    1 | f(a]\n"
         "      |  ^\n"},
        {"a)\n",
         "k.py:1:2: error[E0105]: ')' closes nothing\n"
         "    1 | a)\n"
         "      |  ^\n"},
        {"x = [1,\n",
         "k.py:1:5: error[E0104]: '[' is never closed\n"
         "    1 | x = [1,\n"
         "      |     ^\n"
         "  expected: ']'\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_error(*state, cases[i].text, cases[i].want);
    expect_error(*state, "x = f(1,\ndef g(3):\n  pass\n",
                 "k.py:1:6: error[E0104]: '(' is never closed\n"
                 "    1 | x = f(1,\n"
                 "      |      ^\n"
                 "  expected: ')'\n"
                 "k.py:2:7: error[E0101]: the parameter list is not complete\n"
                 "    2 | def g(3):\n"
                 "      |       ^\n"
                 "  expected: a name\n"
                 "     found: the number '3'\n");
}

static void faults_of_indentation_are_named(void **state)
{
    static const struct parse_case cases[] = {
        {"a\n  b\n",
         "k.py:2:3: error[E0106]: this line is indented, but no block begins here\n"
         "    2 |   b\n"
         "      |   ^\n"
         "       fix: indent it like the line above\n"},
        {"if a:\nb\n",
         "k.py:2:1: error[E0106]: the 'if' statement has no block\n"
         "    2 | b\n"
         "      | ^\n"
         "  expected: an indented block\n"
         "k.py:1:1: note: the block belongs to this line\n"
         "    1 | if a:\n"
         "      | ^~\n"},
        {"if a:\n    b\n  c\n",
         "k.py:3:3: error[E0106]: this line's indentation matches no enclosing block\n"
         "    3 |   c\n"
         "      |   ^\n"
         "  expected: 0 columns, as the block around it\n"
         "     found: 2 columns\n"},
        {"if a:\n        b\n\tc\n",
         "k.py:3:2: error[E0106]: tabs and spaces are mixed in the indentation\n"
         "    3 |     c\n"
         "      |     ^\n"
         "       fix: indent every line of the block with spaces only\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_error(*state, cases[i].text, cases[i].want);
}

static void python_that_is_not_read_is_refused_by_name(void **state)
{
    static const struct parse_case cases[] = {
        {"(a := 1)\n",
         "k.py:1:4: error[E0110]: assignment inside an expression (':=') is not supported\n"
         "    1 | (a := 1)\n"
         "      |    ^~\n"
         "       fix: assign in a statement of its own before this one\n"},
        {"async def f():\n  pass\n",
         "k.py:1:1: error[E0110]: 'async' is not supported\n"
         "    1 | async def f():\n"
         "      | ^~~~~\n"},
        {"x = 2j\n",
         "k.py:1:5: error[E0110]: imaginary numbers are not supported\n"
         "    1 | x = 2j\n"
         "      |     ^~\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_error(*state, cases[i].text, cases[i].want);
}

static void targets_arguments_and_places_are_checked(void **state)
{
    static const struct parse_case cases[] = {
        {"f(a) = 1\n",
         "k.py:1:1: error[E0111]: cannot assign to the result of a call\n"
         "    1 | f(a) = 1\n"
         "      | ^~~~\n"
         "  expected: a name, an attribute, an element, or a tuple of these\n"},
        {"for 3 in x: pass\n",
         "k.py:1:5: error[E0111]: cannot assign to a number\n"
         "    1 | for 3 in x: pass\n"
         "      |     ^\n"
         "  expected: a name, an attribute, an element, or a tuple of these\n"},
        {"f(a=1, 2)\n",
         "k.py:1:8: error[E0112]: a positional argument stands after a keyword argument\n"
         "    1 | f(a=1, 2)\n"
         "      |        ^\n"
         "k.py:1:3: note: the keyword argument\n"
         "    1 | f(a=1, 2)\n"
         "      |   ^~~\n"},
        {"f(a=1, a=2)\n",
         "k.py:1:8: error[E0112]: the keyword 'a' is given twice\n"
         "    1 | f(a=1, a=2)\n"
         "      |        ^~~\n"
         "k.py:1:3: note: first given here\n"
         "    1 | f(a=1, a=2)\n"
         "      |   ^~~\n"},
        {"def f(a, a): pass\n",
         "k.py:1:10: error[E0112]: the parameter 'a' is declared twice\n"
         "    1 | def f(a, a): pass\n"
         "      |          ^\n"
         "k.py:1:7: note: first declared here\n"
         "    1 | def f(a, a): pass\n"
         "      |       ^\n"},
        {"def f(a=1, b): pass\n",
         "k.py:1:12: error[E0112]: the parameter 'b' without a default follows one with a default\n"
         "    1 | def f(a=1, b): pass\n"
         "      |            ^\n"},
        {"return 1\n",
         "k.py:1:1: error[E0113]: 'return' stands outside a function\n"
         "    1 | return 1\n"
         "      | ^~~~~~\n"},
        {"if a: break\n",
         "k.py:1:7: error[E0113]: 'break' stands outside a loop\n"
         "    1 | if a: break\n"
         "      |       ^~~~~\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        expect_error(*state, cases[i].text, cases[i].want);
}

/* Style guide 2.6: never a second error caused by the first; independent ones are all reported. */
static void each_fault_is_reported_once_and_independent_ones_together(void **state)
{
    expect_error(*state,
                 "def k(:\n"
                 "    for i in range(4)\n"
                 "        x = i\n"
                 "        break\n"
                 "    else:\n"
                 "        return (1 +\n"
                 "    y = 2\n"
                 "def good():\n"
                 "    return 1\n",
                 "k.py:1:6: error[E0104]: '(' is never closed\n"
                 "    1 | def k(:\n"
                 "      |      ^\n"
                 "  expected: ')'\n"
                 "k.py:2:22: error[E0101]: the 'for' statement is not complete\n"
                 "    2 |     for i in range(4)\n"
                 "      |                      ^\n"
                 "  expected: ':'\n"
                 "     found: the end of the line\n"
                 "k.py:6:16: error[E0104]: '(' is never closed\n"
                 "    6 |         return (1 +\n"
                 "      |                ^\n"
                 "  expected: ')'\n");
    struct bench_room *room = *state;
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    const struct block b = parse(room, "if (a:\n    pass\nx = 1\n  y = 2\nz ==== 3\ngood = 1\n");
    assert_int_equal(room->diags.error_count, 3);
    assert_int_equal(b.len, 2);
}

static void recovery_keeps_the_well_formed_statements(void **state)
{
    struct bench_room *room = *state;
    const struct block b = parse(room, "a = 1\nb = = 2\nif c d:\n    e = 1\n    f f\nelse:\n    g = 1\nh = 1\n");
    assert_int_equal(room->diags.error_count, 3);
    assert_int_equal(b.len, 2);
    struct text out;
    tw_text_init(&out, &room->arena);
    put_stmt(&out, b.at[1]);
    assert_string_equal(out.at, "(= h) 1");
}

static char *repeated(struct bench_room *room, const char *head, const char *unit, unsigned count, const char *tail)
{
    struct text t;
    tw_text_init(&t, &room->arena);
    tw_text_add(&t, head);
    for (unsigned i = 0; i < count; i++)
        tw_text_add(&t, unit);
    tw_text_add(&t, tail);
    return t.at;
}

static void nesting_is_bounded_in_every_form(void **state)
{
    struct bench_room *room = *state;
    static const struct {
        const char *head, *unit, *tail;
    } forms[] = {
        {"x = ", "(", ""},       {"x = ", "[", ""},         {"x = ", "-", "1"},    {"x = ", "not ", "1"},
        {"x = 1", " + 1", ""},   {"x = a", ".b", ""},       {"x = a", "[0]", ""},  {"x = ", "lambda: ", "1"},
        {"x = ", "f(", ""},      {"x = ", "1 if a else ", "2"}, {"x = ", "f'{", ""}, {"x = 1", " ** 1", ""},
        {"x = ", "{1:", ""},     {"x = f'", "{x:", ""},
    };
    for (size_t i = 0; i < COUNT(forms); i++) {
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        parse(room, repeated(room, forms[i].head, forms[i].unit, 100000, forms[i].tail));
        assert_true(room->diags.error_count >= 1);
        assert_true(room->diags.error_count <= 2);
    }
    tw_diags_init(&room->diags, &room->arena, &room->sources);
    parse(room, repeated(room, "x = 1", " + 1", TW_MAX_NESTING - 5, "\n"));
    tw_test_expect_diags(room, "");
    expect_error(room, repeated(room, "x = ", "-", TW_MAX_NESTING + 1, "1\n") + 0,
                 tw_format(&room->arena,
                           "k.py:1:204: error[E0109]: the program nests deeper than 200 levels here\n"
                           "    1 | x = %s1\n"
                           "      | %203s^\n",
                           repeated(room, "", "-", TW_MAX_NESTING + 1, ""), ""));
}

static void blocks_nest_to_the_limit_and_no_deeper(void **state)
{
    struct bench_room *room = *state;
    struct text t;
    tw_text_init(&t, &room->arena);
    for (unsigned i = 0; i < 1000; i++) {
        tw_text_pad(&t, ' ', i);
        tw_text_add(&t, "if a:\n");
    }
    tw_text_pad(&t, ' ', 1000);
    tw_text_add(&t, "pass\nx = = 1\n");
    parse(room, t.at);
    assert_int_equal(room->diags.error_count, 2);
}

static void the_whole_of_each_seed_program_parses(void **state)
{
    struct bench_room *room = *state;
    const struct block first = parse_file(room, tensor_mma_seed(room));
    tw_test_expect_diags(room, "");
    /* two imports, three layouts, the kernel, two imports, seven host statements */
    assert_int_equal(first.len, 15);
    assert_int_equal(first.at[5]->kind, STMT_DEF);
    const struct block second = parse_file(room, warp_mma_seed(room));
    tw_test_expect_diags(room, "");
    /* three imports, three layouts, the kernel, two imports, nine host statements */
    assert_int_equal(second.len, 18);
}

static void any_prefix_of_a_program_ends_in_diagnostics_not_in_a_crash(void **state)
{
    struct bench_room *room = *state;
    const uint32_t whole = tensor_mma_seed(room);
    const struct str text = room->sources.files.at[whole - 1].text;
    for (size_t len = 0; len < text.len; len += 3) {
        tw_diags_init(&room->diags, &room->arena, &room->sources);
        parse_file(room, tw_sources_add(&room->sources, "prefix.py", (struct str){text.at, len}));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOM_TEST(operators_bind_as_in_python),
        ROOM_TEST(primaries_chain_calls_attributes_and_subscripts),
        ROOM_TEST(displays_and_comprehensions_parse),
        ROOM_TEST(literals_have_their_values),
        ROOM_TEST(f_strings_keep_their_parts),
        ROOM_TEST(simple_statements_parse),
        ROOM_TEST(compound_statements_parse),
        ROOM_TEST(layout_of_lines_does_not_matter_inside_brackets),
        ROOM_TEST(what_a_rule_misses_is_named),
        ROOM_TEST(faults_of_characters_strings_and_numbers_are_named),
        ROOM_TEST(brackets_that_do_not_pair_are_named),
        ROOM_TEST(faults_of_indentation_are_named),
        ROOM_TEST(python_that_is_not_read_is_refused_by_name),
        ROOM_TEST(targets_arguments_and_places_are_checked),
        ROOM_TEST(each_fault_is_reported_once_and_independent_ones_together),
        ROOM_TEST(recovery_keeps_the_well_formed_statements),
        ROOM_TEST(nesting_is_bounded_in_every_form),
        ROOM_TEST(blocks_nest_to_the_limit_and_no_deeper),
        ROOM_TEST(the_whole_of_each_seed_program_parses),
        ROOM_TEST(any_prefix_of_a_program_ends_in_diagnostics_not_in_a_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
