/* Walking and copying: every place of a statement that holds an expression, a region or a block, once. */
#ifndef TW_IR_IR_WALK_H
#define TW_IR_IR_WALK_H

#include "ir/ir.h"

/* Visitors get the place, so that they may replace what stands there. */
typedef void ir_expr_visit(void *context, struct ir_expr **place);
typedef void ir_region_visit(void *context, struct ir_region **place);

/* The expressions directly in a statement: not those of nested statements, not subexpressions. Regions of the
 * statement contribute their starts; operands of tile and ptx statements are included. */
void tw_ir_stmt_exprs(struct ir_stmt *s, ir_expr_visit *visit, void *context);
/* The direct subexpressions, starts of a region included. */
void tw_ir_expr_children(struct ir_expr *e, ir_expr_visit *visit, void *context);
/* The regions directly in a statement, and in all its expressions. */
void tw_ir_stmt_regions(struct ir_stmt *s, ir_region_visit *visit, void *context);

/* Values that a copy uses in place of variables. */
struct ir_subst {
    const struct ir_var *var;
    struct ir_expr *value; /* copied at every use */
    struct ir_var *renamed; /* or another variable */
};
struct ir_substs {
    VEC(struct ir_subst) list;
};

struct ir_expr *tw_ir_expr_copy(struct ir_kernel *k, const struct ir_expr *e, const struct ir_substs *with);
struct ir_region *tw_ir_region_copy(struct ir_kernel *k, const struct ir_region *r, const struct ir_substs *with);
/* Appends a copy of every statement. Variables that the block defines get fresh ones, added to *with for the
 * length of the copy. Copies are rebuilt by the constructors, so constants fold. */
void tw_ir_block_copy(struct ir_kernel *k, const struct ir_block *from, struct ir_block *into, struct ir_substs *with);

#endif
