"""Views as copies: the functions that give what a view shows, in memory of its own.

Others give views whose results may be written to, each by itself.
"""

COPIES = {
    "view_copy": "view_copy(x, sizes): view, as a copy",
    "expand_copy": "expand_copy(x, sizes): broadcast_to, as a copy",
    "permute_copy": "permute_copy(x, order): permute, as a copy",
    "transpose_copy": "transpose_copy(x, dim0, dim1): transpose, as a copy",
    "t_copy": "t, as a copy",
    "squeeze_copy": "squeeze_copy(x, dims=all): squeeze, as a copy",
    "unsqueeze_copy": "unsqueeze_copy(x, dim): unsqueeze, as a copy",
    "select_copy": "select_copy(x, dim, index): select, as a copy",
    "slice_copy": "slice_copy(x, dim, start, end, step): a stretch of an axis, as a copy",
    "diagonal_copy": "diagonal_copy(x, offset, dim1, dim2): diagonal, as a copy",
    "unfold_copy": "unfold_copy(x, dim, size, step): unfold, as a copy",
    "as_strided_copy": "as_strided_copy(x, sizes, strides, offset): as_strided, as a copy",
    "alias_copy": "the tensor itself, as a copy",
    "detach_copy": "detach, as a copy",
    "unbind_copy": "unbind_copy(x, dim): unbind, as copies",
    "split_copy": "split_copy(x, size, dim): split into pieces of a size, as copies",
    "split_with_sizes_copy": "split_with_sizes_copy(x, sizes, dim): split, as copies",
    "unsafe_chunk": "chunk, whose results may be written to",
    "unsafe_split_with_sizes": "split by sizes, whose results may be written to",
}
"""Words, each with its meaning."""

SEVERAL_OF_COPIES = """
unbind_copy split_copy split_with_sizes_copy unsafe_chunk unsafe_split_with_sizes
"""
"""Functions of these that return several tensors."""
