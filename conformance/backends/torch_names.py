"""Names of PyTorch's functions that are gradspec's too, by the place where PyTorch keeps them."""

PLAIN = """
add sub mul div pow neg exp log sin cos tanh sqrt abs relu sigmoid maximum minimum clamp where
sum mean prod amax amin logsumexp softmax log_softmax cumsum matmul
reshape flatten permute transpose swapaxes swapdims t movedim moveaxis squeeze unsqueeze narrow
select unbind chunk split stack cat flip clone gather scatter scatter_add as_strided
conv2d conv_transpose2d max_pool2d argmax round floor sign heaviside igamma
max equal allclose
mm bmm einsum conj concat concatenate hstack column_stack vstack row_stack dstack
tensor_split hsplit vsplit dsplit index_select masked_select nonzero take take_along_dim
randint_like bernoulli multinomial scatter_reduce masked_scatter
"""
"""Functions that `torch` spells as gradspec does."""

IN_THE_TABLE = """
deg2rad rad2deg flipud fliplr
square reciprocal rsqrt exp2 expm1 log2 log10 log1p tan asin acos atan sinh cosh asinh acosh atanh
erf ceil trunc frac atan2 hypot logaddexp xlogy fmod remainder floor_divide lerp addcmul addcdiv
eq ne lt le gt ge isnan
min median var std norm trace count_nonzero all any argmin cumprod logcumsumexp sort argsort topk
mv dot inner outer addmm baddbmm tensordot kron cross det logdet inverse matrix_power
roll ravel unflatten broadcast_to diagonal diag tril triu tile
repeat_interleave block_diag
index_add index_copy index_fill index_put masked_fill real imag stft istft
"""
"""More of the same, which only the table of operations asks for."""

FUNCTIONAL = """
logsigmoid softplus silu gelu relu6 leaky_relu elu hardtanh
linear bilinear conv1d avg_pool2d layer_norm batch_norm normalize cosine_similarity glu prelu pad
embedding one_hot
mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits
kl_div nll_loss cross_entropy
"""
"""Functions of `torch.nn.functional`."""

LINALG = "solve cholesky svd eigvalsh"
"""Functions of `torch.linalg`."""

METHODS = """
size dim numel item tolist
view view_as expand repeat contiguous as_strided
add_ sub_ mul_ div_ neg_ exp_ sin_ tanh_ sigmoid_ relu_ clamp_ zero_ fill_ copy_
t_ squeeze_ unsqueeze_ scatter_ scatter_add_
uniform_ normal_ bernoulli_ random_ exponential_ index_put_
"""
"""Functions that are methods of a tensor only."""

TYPED = """
empty empty_strided zeros ones full eye arange linspace logspace
empty_like zeros_like ones_like full_like rand_like randn_like
rand randn randint randperm normal
as_tensor asarray
"""
"""Functions of `torch` that take a dtype, and many a layout."""

TYPED_METHODS = "new_empty new_zeros new_ones new_full"
"""Methods of a tensor that take a dtype."""

CLASSES = "Tensor FloatTensor IntTensor"
"""Constructors of old, of tensors on the CPU."""
