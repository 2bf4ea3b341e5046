// A CUDA device for a PyTorch on a machine that has none: its memory is the host's.
//
// Every operation that has a kernel of its own for each device is computed by that of the CPU, on
// tensors of the host that share the memory; whatever PyTorch composes of others, records, checks
// or chooses by device is its own code for CUDA. `pretended_cuda.py` builds this file and says what
// it is good for.

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/EmptyTensor.h>
#include <ATen/native/Math.h>
#include <ATen/native/Resize.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <pthread.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <new>
#include <numeric>
#include <set>
#include <unordered_map>

// Of Python's own headers no more is needed.
extern "C" {
int PyGILState_Check();
void* PyEval_SaveThread();
void PyEval_RestoreThread(void*);
}

namespace {

using at::Tensor;
using c10::IValue;
using c10::Storage;
using c10::StorageImpl;
using Words = std::set<std::string>;

const c10::Device CUDA(c10::DeviceType::CUDA, 0);

// ---- switches, and what a device remembers ------------------------------------------------------

std::unordered_map<std::string, bool> switches;
std::atomic<bool> present = false;
std::string fault;  // what the device has to report, from which it does not recover
std::deque<std::function<void()>> queue;  // copies that nobody has waited for

// One thread at a time; the others let Python run, for whoever has the device may need it to let go
// of a tensor.
struct Mutex : std::recursive_mutex {
  void lock() {
    if (try_lock()) return;
    void* python = PyGILState_Check() ? PyEval_SaveThread() : nullptr;
    std::recursive_mutex::lock();
    if (python) PyEval_RestoreThread(python);
  }
} mutex;

bool on(const char* name) {
  return switches[name];
}

void report() {
  TORCH_CHECK(fault.empty(), "CUDA error: ", fault);
}

// A process that was forked from one that uses a device cannot use it.
std::atomic<bool> forked = false;

// Do what is queued, as a device does in its own time.
void drain() {
  std::lock_guard guard(mutex);
  while (!queue.empty()) {
    auto work = std::move(queue.front());
    queue.pop_front();
    work();
  }
}

void synchronize() {
  drain();
  report();
}

// ---- memory -------------------------------------------------------------------------------------

std::atomic<int64_t> bytes = 0, most = 0;

struct Block {
  void* start;
  int64_t size;
};

void release(void* context) {
  auto* block = static_cast<Block*>(context);
  bytes -= block->size;
  c10::GetCPUAllocator()->raw_deallocate(block->start);
  delete block;
}

struct Memory final : c10::Allocator {
  c10::DataPtr allocate(size_t size) override {
    if (size == 0) return {nullptr, nullptr, &release, CUDA};
    auto* block = new Block{c10::GetCPUAllocator()->raw_allocate(size), int64_t(size)};
    bytes += block->size;
    most = std::max(most.load(), bytes.load());
    return {block->start, block, &release, CUDA};
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return nullptr;
  }
  void copy_data(void* to, const void* from, size_t count) const override {
    std::memcpy(to, from, count);
  }
} memory;

std::set<const void*> pinned;

void unpin(void* start) {
  std::lock_guard guard(mutex);
  pinned.erase(start);
  c10::GetCPUAllocator()->raw_deallocate(start);
}

struct Pinned final : c10::Allocator {
  c10::DataPtr allocate(size_t size) override {
    std::lock_guard guard(mutex);
    void* start = c10::GetCPUAllocator()->raw_allocate(size);
    pinned.insert(start);
    return {start, start, &unpin, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return &unpin;
  }
  void copy_data(void* to, const void* from, size_t count) const override {
    std::memcpy(to, from, count);
  }
} pinned_memory;

// ---- random numbers: those of the CPU, from generators of their own -------------------------------

struct Numbers final : c10::GeneratorImpl {
  at::Generator own;
  uint64_t chosen = c10::default_rng_seed_val;
  explicit Numbers(at::Generator made)
      : c10::GeneratorImpl(CUDA, c10::DispatchKeySet(c10::DispatchKey::CUDA)), own(std::move(made)) {}
  void set_current_seed(uint64_t seed) override {
    chosen = seed;
    own.set_current_seed(~seed);  // not the stream of the CPU
  }
  void set_offset(uint64_t) override {
    TORCH_CHECK(false, "a pretended generator has no offset");
  }
  uint64_t get_offset() const override {
    TORCH_CHECK(false, "a pretended generator has no offset");
  }
  uint64_t current_seed() const override {
    return chosen;
  }
  uint64_t seed() override {
    set_current_seed(c10::detail::getNonDeterministicRandom());
    return chosen;
  }
  void set_state(const c10::TensorImpl& state) override {
    own.unsafeGetGeneratorImpl()->set_state(state);
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    return own.unsafeGetGeneratorImpl()->get_state();
  }
  Numbers* clone_impl() const override {
    auto* made = new Numbers(own.clone());
    made->chosen = chosen;
    return made;
  }
  static c10::DeviceType device_type() {
    return c10::DeviceType::CUDA;
  }
};

at::Generator new_numbers() {
  auto made = at::make_generator<Numbers>(at::globalContext().defaultGenerator(at::kCPU).clone());
  made.set_current_seed(c10::default_rng_seed_val);
  return made;
}

at::Generator& numbers() {
  static auto made = new_numbers();
  return made;
}

at::Generator of_host(const at::Generator& generator) {
  return static_cast<Numbers*>(generator.unsafeGetGeneratorImpl())->own;
}

// A device counts calls, not numbers: each call has a stream of its own, so that two calls for half
// as many numbers do not give what one call gives.
void next_stream(at::Generator own, const Tensor& before) {
  if (own.get_state().equal(before)) return;  // nothing was drawn
  auto* numbers = at::check_generator<at::CPUGeneratorImpl>(own);
  std::lock_guard guard(numbers->mutex_);
  numbers->set_current_seed(numbers->random64());
}

// ---- what PyTorch asks of a device ----------------------------------------------------------------

struct Guard final : c10::impl::NoOpDeviceGuardImpl<c10::DeviceType::CUDA> {
  c10::Device exchangeDevice(c10::Device device) const override {
    setDevice(device);
    return CUDA;
  }
  c10::Device getDevice() const override {
    return CUDA;
  }
  void setDevice(c10::Device device) const override {
    TORCH_CHECK(device.index() <= 0, "CUDA error: invalid device ordinal");
  }
  c10::Stream getStream(c10::Device) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, CUDA);
  }
  c10::Stream getNewStream(c10::Device, int) const override {
    return c10::Stream(c10::Stream::DEFAULT, CUDA);
  }
  c10::Stream exchangeStream(c10::Stream) const noexcept override {
    return c10::Stream(c10::Stream::DEFAULT, CUDA);
  }
  c10::DeviceIndex deviceCount() const noexcept override {
    return 1;
  }
  void record(void**, const c10::Stream&, const c10::DeviceIndex, const c10::EventFlag) const override {}
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override {
    return true;
  }
  void synchronizeStream(const c10::Stream&) const override {
    synchronize();
  }
  void synchronizeDevice(const c10::DeviceIndex) const override {
    synchronize();
  }
};

struct Hooks final : at::CUDAHooksInterface {
  Hooks() = default;
  explicit Hooks(at::CUDAHooksArgs) {}
  void init() const override {}
  bool isBuilt() const override {
    return present;
  }
  bool isAvailable() const override {
    return present;
  }
  bool hasCUDA() const override {
    return present;
  }
  bool hasPrimaryContext(c10::DeviceIndex) const override {
    return present;
  }
  c10::DeviceIndex deviceCount() const override {
    return present;
  }
  int getNumGPUs() const override {
    return present;
  }
  bool hasCuDNN() const override {
    return present;
  }
  bool compiledWithCuDNN() const override {
    return present;
  }
  bool supportsDilatedConvolutionWithCuDNN() const override {
    return present;
  }
  bool supportsDepthwiseConvolutionWithCuDNN() const override {
    return present;
  }
  long versionCuDNN() const override {
    return 91900;
  }
  long versionRuntimeCuDNN() const override {
    return 91900;
  }
  double batchnormMinEpsilonCuDNN() const override {
    return 0.0;
  }
  void setCurrentDevice(c10::DeviceIndex) const override {}
  c10::DeviceIndex getCurrentDevice() const override {
    return 0;
  }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex) const override {
    return 0;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex) const override {
    return 0;
  }
  c10::DeviceIndex current_device() const override {
    return 0;
  }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override {
    return numbers();
  }
  at::Generator getNewGenerator(c10::DeviceIndex) const override {
    return new_numbers();
  }
  c10::Device getDeviceFromPtr(void*) const override {
    return CUDA;
  }
  bool isPinnedPtr(const void* start) const override {
    std::lock_guard guard(mutex);
    return pinned.count(start);
  }
  c10::Allocator* getPinnedMemoryAllocator() const override {
    return &pinned_memory;
  }
  c10::Allocator* getCUDADeviceAllocator() const override {
    return &memory;
  }
  void deviceSynchronize(c10::DeviceIndex) const override {
    synchronize();
  }
};

// ---- one operation, on the host -------------------------------------------------------------------

void let_go(void* context) {
  delete static_cast<Storage*>(context);
}

// The same memory, said to lie on another device.
Storage same_memory(const Storage& storage, c10::Device device, c10::Allocator* allocator) {
  void* start = storage.unsafeGetStorageImpl()->mutable_data();
  c10::DataPtr pointer(start, new Storage(storage), &let_go, device);
  return Storage(Storage::use_byte_size_t(), storage.nbytes(), std::move(pointer), allocator, true);
}

struct Call {
  std::unordered_map<StorageImpl*, Storage> there;  // by their storage on the host
  std::unordered_map<StorageImpl*, Storage> here;  // by their storage on the device
  std::unordered_map<c10::TensorImpl*, std::pair<Tensor, Tensor>> given;  // host, device
  std::unordered_map<c10::TensorImpl*, Tensor> met;  // what is given twice is one tensor there too

  Storage host(const Storage& storage) {
    if (auto found = here.find(storage.unsafeGetStorageImpl()); found != here.end()) {
      return found->second;
    }
    auto made = same_memory(storage, c10::kCPU, c10::GetCPUAllocator());
    here.emplace(storage.unsafeGetStorageImpl(), made);
    there.emplace(made.unsafeGetStorageImpl(), storage);
    return made;
  }

  Storage device(const Storage& storage) {
    if (auto found = there.find(storage.unsafeGetStorageImpl()); found != there.end()) {
      return found->second;
    }
    auto made = same_memory(storage, CUDA, &memory);
    there.emplace(storage.unsafeGetStorageImpl(), made);
    return made;
  }

  static Tensor placed(const Tensor& x, Storage storage, c10::DispatchKey key) {
    auto made = at::detail::make_tensor<c10::TensorImpl>(
        std::move(storage), c10::DispatchKeySet(key), x.dtype());
    auto* impl = made.unsafeGetTensorImpl();
    impl->set_sizes_and_strides(x.sizes(), x.strides(), x.storage_offset());
    if (x.unsafeGetTensorImpl()->is_wrapped_number()) impl->set_wrapped_number(true);
    if (x.is_conj()) impl->_set_conj(true);
    if (x.is_neg()) impl->_set_neg(true);
    return made;
  }

  Tensor host(const Tensor& x) {
    if (!x.defined() || !x.is_cuda() || x.layout() != at::kStrided) return x;
    if (auto found = met.find(x.unsafeGetTensorImpl()); found != met.end()) return found->second;
    auto made = placed(x, host(x.storage()), c10::DispatchKey::CPU);
    met.emplace(x.unsafeGetTensorImpl(), made);
    given.emplace(made.unsafeGetTensorImpl(), std::pair(made, x));
    return made;
  }

  Tensor device(const Tensor& x) {
    if (!x.defined() || !x.is_cpu() || x.layout() != at::kStrided) return x;
    if (auto found = given.find(x.unsafeGetTensorImpl()); found != given.end()) {
      return found->second.second;
    }
    if (x._is_zerotensor()) {
      const c10::DispatchKeySet keys({c10::DispatchKey::CUDA, c10::DispatchKey::ZeroTensor});
      auto made = at::detail::empty_generic(
          x.sizes(), &memory, keys, x.scalar_type(), std::nullopt);
      // On a device it has no memory at all, and is made one of zeros before any kernel reads it.
      if (made.nbytes()) std::memset(made.storage().mutable_data(), 0, made.storage().nbytes());
      return made;
    }
    return placed(x, device(x.storage()), c10::DispatchKey::CUDA);
  }

  // What a kernel has written to may have grown, or lie elsewhere.
  void follow() {
    for (auto& [_, both] : given) {
      auto& [host, x] = both;
      auto own = device(host.storage());
      const auto& storage = x.storage();
      const auto& made = host.storage();
      if (own.unsafeGetStorageImpl() != storage.unsafeGetStorageImpl()) {
        x.unsafeGetTensorImpl()->set_storage_keep_dtype(own);
      } else if (made.data() != storage.data()) {
        auto block = made.unsafeGetStorageImpl()->set_data_ptr(
            c10::DataPtr(nullptr, c10::Device(c10::kCPU)));
        void* start = block.get();
        auto* kept = new c10::DataPtr(std::move(block));
        auto drop = [](void* context) { delete static_cast<c10::DataPtr*>(context); };
        storage.unsafeGetStorageImpl()->set_data_ptr(c10::DataPtr(start, kept, drop, CUDA));
        storage.unsafeGetStorageImpl()->set_nbytes(made.nbytes());
      }
      if (host.sizes() != x.sizes() || host.strides() != x.strides() ||
          host.storage_offset() != x.storage_offset()) {
        x.unsafeGetTensorImpl()->set_sizes_and_strides(
            host.sizes(), host.strides(), host.storage_offset());
      }
      // A kernel may say of its result that what it wrote is to be read conjugated.
      if (host.is_conj() != x.is_conj()) x.unsafeGetTensorImpl()->_set_conj(host.is_conj());
      if (host.is_neg() != x.is_neg()) x.unsafeGetTensorImpl()->_set_neg(host.is_neg());
    }
  }
};

IValue each(const IValue& value, const std::function<Tensor(const Tensor&)>& change) {
  if (value.isTensor()) return change(value.toTensor());
  if (value.isTensorList()) {
    c10::List<Tensor> made;
    for (const Tensor x : value.toTensorList()) made.push_back(change(x));
    return made;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<Tensor>> made;
    for (const std::optional<Tensor> x : value.toOptionalTensorList()) {
      made.push_back(x ? std::optional<Tensor>(change(*x)) : std::nullopt);
    }
    return made;
  }
  return value;
}

// Operations that take tensors of several devices.
const Words MIXING = {"aten::copy_", "aten::_copy_from", "aten::index", "aten::index_put_",
    "aten::_index_put_impl_", "aten::index_put", "aten::_unsafe_index", "aten::_local_scalar_dense",
    "aten::set_", "aten::_pin_memory", "aten::is_pinned", "aten::resize_as_",
    "aten::_use_cudnn_ctc_loss", "aten::_use_miopen_ctc_loss", "aten::_ctc_loss",
    "aten::_ctc_loss_backward"};

void see_devices(const std::string& name, at::ArrayRef<IValue> values) {
  if (MIXING.count(name)) return;
  for (const auto& value : values) {
    each(value, [&](const Tensor& x) {
      TORCH_CHECK(!x.defined() || x.is_cuda() || x.dim() == 0,
          "Expected all tensors to be on the same device, but got a tensor on ", x.device(),
          ", different from other tensors on cuda:0 (when checking argument in method wrapper_CUDA_",
          name.substr(6), ")");
      return x;
    });
  }
}

// What has kernels for floating numbers only on CUDA: products, which a library computes, and windows.
const Words OF_FLOATS = {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::dot",
    "aten::vdot", "aten::addmv", "aten::mv", "aten::_slow_conv2d_forward",
    "aten::slow_conv_dilated2d", "aten::slow_conv_dilated3d", "aten::slow_conv_transpose2d",
    "aten::slow_conv_transpose3d", "aten::_conv_depthwise2d", "aten::conv_depthwise3d",
    "aten::avg_pool2d", "aten::avg_pool3d", "aten::max_pool2d_with_indices",
    "aten::max_pool3d_with_indices"};

// What PyTorch has on the host alone: operations by names, with those of their overloads if not all.
const Words OF_THE_HOST = {"aten::narrow_copy.out", "aten::histogram", "aten::_histogramdd_bin_edges",
    "aten::_histogramdd_from_bin_cts", "aten::_histogramdd_from_bin_tensors",
    "aten::_upsample_lanczos2d_aa", "aten::_upsample_lanczos2d_aa_backward", "aten::_spdiags"};

void see_kernel(const c10::FunctionSchema& schema) {
  const auto whole = schema.name() +
      (schema.overload_name().empty() ? "" : "." + schema.overload_name());
  TORCH_CHECK_NOT_IMPLEMENTED(!OF_THE_HOST.count(whole) && !OF_THE_HOST.count(schema.name()),
      "Could not run '", whole, "' with arguments from the 'CUDA' backend.");
}

// What kernels for CUDA refuse in words of their own.
void see_values(const std::string& name, at::ArrayRef<IValue> values) {
  if (name == "aten::bernoulli_" && values[1].isTensor()) {
    const auto kind = values[1].toTensor().scalar_type();
    TORCH_CHECK(at::isFloatingType(kind),
        "expected probabilities tensor to have floating type, got ", toString(kind));
  }
  static const Words transforms = {"aten::_fft_r2c", "aten::_fft_c2r", "aten::_fft_c2c"};
  TORCH_CHECK(!transforms.count(name) || values[0].toTensor().numel(),
      "cuFFT error: CUFFT_INVALID_SIZE");
}

void see_dtypes(const std::string& name, at::ArrayRef<IValue> values) {
  // Of the largest rows of bags gradients go to places by a kernel of its own, which lacks a dtype.
  TORCH_CHECK_NOT_IMPLEMENTED(name != "aten::_embedding_bag_backward" || values[8].toInt() != 2 ||
          values[0].toTensor().scalar_type() != at::kBFloat16,
      "\"embedding_bag_backward_cuda_max\" not implemented for 'BFloat16'");
  if (!OF_FLOATS.count(name) || !values[0].isTensor()) return;
  const auto kind = values[0].toTensor().scalar_type();
  TORCH_CHECK_NOT_IMPLEMENTED(!at::isIntegralType(kind, true), '"', name.substr(6),
      "_cuda\" not implemented for '", toString(kind), "'");
}

// ---- kernels that a host does not have: those of cuDNN, and fused ones -----------------------------

using Given = const torch::jit::Stack&;
using Made = std::vector<IValue>;

Tensor tensor(const IValue& value) {
  return value.isTensor() ? value.toTensor() : Tensor();
}

Tensor zero_for(const Tensor& x, const Tensor& like) {
  return x.defined() ? x : at::zeros_like(like);
}

Made convolved(Given in, bool transposed) {
  const auto padding = in[2].toIntVector();
  const auto out = transposed ? in[3].toIntVector() : std::vector<int64_t>(padding.size(), 0);
  const auto at = transposed ? 4 : 3;
  return {at::convolution(in[0].toTensor(), in[1].toTensor(), {}, in[at].toIntVector(), padding,
      in[at + 1].toIntVector(), transposed, out, in[at + 2].toInt())};
}

Made by_channel(Given in) {
  const auto x = in[0].toTensor(), weight = in[1].toTensor();
  const std::vector<int64_t> none(in[5].toIntVector().size(), 0);
  return {at::convolution(x, weight, tensor(in[3]), in[4].toIntVector(), in[5].toIntVector(),
      in[6].toIntVector(), false, none, x.size(1))};
}

Made sampled(Given in) {
  return {at::grid_sampler_2d(in[0].toTensor(), in[1].toTensor(), 0, 0, true)};
}

Made sampled_back(Given in) {
  auto [x, grid] = at::grid_sampler_2d_backward(
      in[2].toTensor(), in[0].toTensor(), in[1].toTensor(), 0, 0, true, {true, true});
  return {x, grid};
}

Made normalized(Given in) {
  auto [y, mean, scale] = at::native_batch_norm(in[0].toTensor(), tensor(in[1]), tensor(in[2]),
      tensor(in[3]), tensor(in[4]), in[5].toBool(), in[6].toDouble(), in[7].toDouble());
  return {y, mean, scale, at::empty({0}, y.options().dtype(at::kByte))};
}

Made normalized_back(Given in) {
  auto [x, weight, bias] = at::native_batch_norm_backward(in[1].toTensor(), in[0].toTensor(),
      tensor(in[2]), tensor(in[3]), tensor(in[4]), tensor(in[5]), tensor(in[6]), true,
      in[7].toDouble(), {true, true, true});
  return {x, weight, bias};
}

Tensor with(const Tensor& x, const IValue& bias) {
  return tensor(bias).defined() ? x + tensor(bias) : x;
}

Made lstm(Given in) {
  const auto cx = in[2].toTensor();
  const auto gates = with(in[0].toTensor(), in[3]) + with(in[1].toTensor(), in[4]);
  const auto four = gates.chunk(4, 1);
  const auto i = four[0].sigmoid(), f = four[1].sigmoid(), g = four[2].tanh(), o = four[3].sigmoid();
  const auto cy = f * cx + i * g;
  return {o * cy.tanh(), cy, at::cat({i, f, g, o}, 1)};
}

Made lstm_back(Given in) {
  const auto cx = in[2].toTensor(), cy = in[3].toTensor();
  const auto four = in[4].toTensor().chunk(4, 1);
  const auto &i = four[0], &f = four[1], &g = four[2], &o = four[3];
  const auto grad_hy = zero_for(tensor(in[0]), cy), t = cy.tanh();
  const auto back = grad_hy * o * (1 - t * t) + zero_for(tensor(in[1]), cy);
  const auto gates = at::cat({back * g * i * (1 - i), back * cx * f * (1 - f),
      back * i * (1 - g * g), grad_hy * t * o * (1 - o)}, 1);
  return {gates, back * f, in[5].toBool() ? gates.sum(0) : Tensor()};
}

Made gru(Given in) {
  const auto hx = in[2].toTensor();
  const auto first = with(in[0].toTensor(), in[3]).chunk(3, 1);
  const auto second = with(in[1].toTensor(), in[4]).chunk(3, 1);
  const auto r = (first[0] + second[0]).sigmoid(), z = (first[1] + second[1]).sigmoid();
  const auto n = (first[2] + r * second[2]).tanh();
  return {n + z * (hx - n), at::cat({r, z, n, hx, second[2]}, 1)};
}

Made gru_back(Given in) {
  const auto back = in[0].toTensor();
  const auto kept = in[1].toTensor().chunk(5, 1);
  const auto &r = kept[0], &z = kept[1], &n = kept[2], &hx = kept[3], &h = kept[4];
  const auto by_z = back * (hx - n) * z * (1 - z), by_n = back * (1 - z) * (1 - n * n);
  const auto by_r = by_n * h * r * (1 - r);
  const auto of_input = at::cat({by_r, by_z, by_n}, 1), of_hidden = at::cat({by_r, by_z, by_n * r}, 1);
  const bool biased = in[2].toBool();
  return {of_input, of_hidden, back * z, biased ? of_input.sum(0) : Tensor(),
      biased ? of_hidden.sum(0) : Tensor()};
}

// In float32 that of a host computes in float64, and that of CUDA does not.
Made zetas(Given in) {
  const auto x = in[0].toTensor(), q = in[1].toTensor();
  auto made = at::special_zeta(x, q);
  if (made.scalar_type() == at::kFloat) {
    const auto xs = x.to(at::kFloat).expand_as(made).contiguous();
    const auto qs = q.to(at::kFloat).expand_as(made).contiguous();
    made = at::empty(made.sizes(), made.options());
    for (int64_t at = 0; at < made.numel(); ++at) {
      made.mutable_data_ptr<float>()[at] =
          zeta<float, true>(xs.data_ptr<float>()[at], qs.data_ptr<float>()[at]);
    }
  }
  return {in.size() == 2 ? made : in[2].toTensor().resize_(made.sizes()).copy_(made)};
}

// That is what derivatives of digamma beyond the first are made of.
Made polygammas(Given in) {
  const auto n = in[0].toInt();
  const auto x = in[1].toTensor();
  auto made = at::polygamma(n, x);
  if (n > 1 && made.scalar_type() == at::kFloat) {
    const auto xs = x.to(at::kFloat).contiguous();
    made = at::empty(x.sizes(), made.options());
    for (int64_t at = 0; at < made.numel(); ++at) {
      made.mutable_data_ptr<float>()[at] =
          calc_polygamma<float, true>(xs.const_data_ptr<float>()[at], n);
    }
  }
  return {in.size() == 2 ? made : in[2].toTensor().resize_(made.sizes()).copy_(made)};
}

Made scaled_back(Given in) {
  const auto back = in[0].toTensor(), x = in[1].toTensor(), scale = in[3].toTensor();
  const auto count = int64_t(in[2].toIntVector().size()), outer = x.dim() - count;
  std::vector<int64_t> own(count), others(outer);
  std::iota(own.begin(), own.end(), outer);
  std::iota(others.begin(), others.end(), 0);
  const auto y = x * scale, weighed = tensor(in[4]).defined() ? back * tensor(in[4]) : back;
  const auto by_weight = outer ? (back * y).sum(others) : back * y;
  return {(weighed - y * (weighed * y).mean(own, true)) * scale,
      in[5].toBoolList()[1] ? by_weight : Tensor()};
}

const std::unordered_map<std::string, std::function<Made(Given)>> STAND_INS = {
    {"aten::special_zeta", zetas}, {"aten::polygamma", polygammas},
    {"aten::_fused_rms_norm_backward", scaled_back},
    {"aten::cudnn_convolution", [](Given in) { return convolved(in, false); }},
    {"aten::cudnn_convolution_transpose", [](Given in) { return convolved(in, true); }},
    {"aten::_conv_depthwise2d", by_channel}, {"aten::conv_depthwise3d", by_channel},
    {"aten::cudnn_grid_sampler", sampled}, {"aten::cudnn_grid_sampler_backward", sampled_back},
    {"aten::cudnn_batch_norm", normalized}, {"aten::cudnn_batch_norm_backward", normalized_back},
    {"aten::_thnn_fused_lstm_cell", lstm}, {"aten::_thnn_fused_lstm_cell_backward_impl", lstm_back},
    {"aten::_thnn_fused_gru_cell", gru}, {"aten::_thnn_fused_gru_cell_backward", gru_back},
    {"aten::_use_cudnn_ctc_loss", [](Given) { return Made{false}; }},
    {"aten::_use_miopen_ctc_loss", [](Given) { return Made{false}; }}};

void run(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  at::AutoDispatchBelowADInplaceOrView below;
  if (const auto found = STAND_INS.find(op.schema().name()); found != STAND_INS.end()) {
    stack = found->second(stack);
    return;
  }
  op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack);
}

// ---- other ways to compute the same -----------------------------------------------------------------

using Change = std::function<Tensor(const Tensor&)>;

const Words PRODUCTS = {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm"};
const Words CONVOLUTIONS = {"aten::cudnn_convolution", "aten::cudnn_convolution_transpose",
    "aten::_slow_conv2d_forward", "aten::slow_conv_transpose2d", "aten::slow_conv_dilated2d",
    "aten::convolution_backward"};
const Words SUMS = {"aten::sum", "aten::mean", "aten::dot", "aten::mv", "aten::addmv", "aten::norm",
    "aten::linalg_vector_norm", "aten::var", "aten::std", "aten::logsumexp", "aten::_softmax",
    "aten::_log_softmax", "aten::native_layer_norm", "aten::native_layer_norm_backward",
    "aten::native_batch_norm_backward", "aten::trace",
    "aten::_slow_conv2d_forward", "aten::slow_conv_transpose2d", "aten::cudnn_convolution",
    "aten::cudnn_convolution_transpose", "aten::mm", "aten::addmm",
    "aten::bmm", "aten::baddbmm", "aten::avg_pool2d", "aten::avg_pool2d_backward", "aten::prod",
    "aten::_softmax_backward_data", "aten::_log_softmax_backward_data", "aten::mse_loss"};
// Those that PyTorch's text on deterministic algorithms names, or cuDNN's.
const Words OPEN_SUMS = {"aten::scatter_add", "aten::scatter_add_", "aten::index_add",
    "aten::index_add_", "aten::scatter_reduce", "aten::scatter_reduce_", "aten::put_",
    "aten::cumsum", "aten::_index_put_impl_", "aten::convolution_backward",
    "aten::embedding_dense_backward", "aten::max_pool2d_with_indices_backward",
    "aten::reflection_pad1d_backward", "aten::reflection_pad2d_backward",
    "aten::reflection_pad3d_backward", "aten::replication_pad1d_backward",
    "aten::replication_pad2d_backward", "aten::replication_pad3d_backward",
    "aten::index_reduce", "aten::index_reduce_", "aten::_embedding_bag_dense_backward",
    "aten::_embedding_bag_per_sample_weights_backward", "aten::grid_sampler_2d_backward",
    "aten::grid_sampler_3d_backward", "aten::cudnn_grid_sampler_backward",
    "aten::_adaptive_avg_pool2d_backward", "aten::_adaptive_avg_pool3d_backward",
    "aten::adaptive_max_pool2d_backward", "aten::adaptive_max_pool3d_backward",
    "aten::avg_pool3d_backward", "aten::max_pool3d_with_indices_backward",
    "aten::upsample_linear1d_backward", "aten::upsample_bilinear2d_backward",
    "aten::upsample_trilinear3d_backward", "aten::upsample_bicubic2d_backward",
    "aten::upsample_nearest1d_backward", "aten::upsample_nearest2d_backward",
    "aten::_upsample_nearest_exact1d_backward", "aten::_upsample_nearest_exact2d_backward",
    "aten::nll_loss2d_backward", "aten::_ctc_loss_backward", "aten::bincount", "aten::histc"};
// Not max and min, argmax and argmin: of those PyTorch's documentation promises the first place.
const Words CHOOSING = {"aten::median", "aten::nanmedian", "aten::topk", "aten::sort",
    "aten::kthvalue", "aten::mode"};

// By how many units in the last place functions of float32 and of float64 may be off, on a device, from
// the true value rounded, by the table of mathematical functions in NVIDIA's programming guide; for
// those that PyTorch makes of several, by what comes of these.
const std::unordered_map<std::string, std::pair<int, int>> UNITS = {{"aten::rsqrt", {2, 1}},
    {"aten::exp", {2, 1}}, {"aten::exp2", {2, 1}}, {"aten::expm1", {1, 1}}, {"aten::log", {1, 1}},
    {"aten::log2", {1, 1}}, {"aten::log10", {2, 1}}, {"aten::log1p", {1, 1}},
    {"aten::sin", {2, 2}}, {"aten::cos", {2, 2}}, {"aten::tan", {4, 2}}, {"aten::asin", {2, 2}},
    {"aten::acos", {2, 2}}, {"aten::atan", {2, 2}}, {"aten::atan2", {3, 2}},
    {"aten::sinh", {3, 2}}, {"aten::cosh", {2, 1}}, {"aten::tanh", {2, 1}},
    {"aten::asinh", {3, 3}}, {"aten::acosh", {4, 3}}, {"aten::atanh", {3, 2}},
    {"aten::pow", {4, 2}}, {"aten::erf", {2, 2}},
    {"aten::erfc", {4, 5}}, {"aten::erfinv", {2, 5}}, {"aten::hypot", {3, 2}},
    {"aten::lgamma", {6, 4}},
    {"aten::sigmoid", {2, 1}}, {"aten::logaddexp", {3, 2}}, {"aten::silu", {3, 2}},
    {"aten::gelu", {3, 2}}, {"aten::softplus", {3, 2}}, {"aten::xlogy", {2, 2}},
    {"aten::log_sigmoid_forward", {3, 2}}, {"aten::elu", {2, 2}}};

// PyTorch's kernels for CUDA multiply by a sixth that is rounded to float32, in float64 as well:
// aten/src/ATen/native/cuda/ActivationHardsigmoidKernel.cu and ActivationHardswishKernel.cu.
const Words SIXTHS = {"aten::hardsigmoid", "aten::hardsigmoid_", "aten::hardswish",
    "aten::hardswish_"};

// Move results, each second one down; a result of few digits is exact anywhere, and one without all
// of its digits may be lost as it is.
Tensor moved(const Tensor& x, std::pair<int, int> units) {
  if (!x.defined() || !x.numel()) return x;
  const bool single = x.scalar_type() == at::kFloat;
  if (!single && x.scalar_type() != at::kDouble) return x;
  const auto bits = x.contiguous().view(single ? at::kInt : at::kLong);
  const auto sign = at::arange(x.numel(), bits.options()).remainder(2).mul(-2).add(1);
  const auto by = single ? units.first : units.second;
  const auto shifted = bits + sign.view(x.sizes()) * by;
  const auto least = single ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  const auto plain = bits.bitwise_and(single ? 0xFFF : 0xFFFFFFF)
                         .eq(0)
                         .logical_or(x.isfinite().logical_not())
                         .logical_or(x.abs() < least);
  return at::where(plain, bits, shifted).view(x.scalar_type());
}

// Of a number in float32 the digits that TF32 has, rounded.
Tensor cut_short(const Tensor& x) {
  if (!x.defined() || x.scalar_type() != at::kFloat) return x;
  return x.contiguous().view(at::kInt).add(4096).bitwise_and(~8191).view(at::kFloat);
}

// Kernels in which NVIDIA's compiler makes one rounding of a product and a sum.
const Words CONTRACTED = {"aten::add", "aten::add_", "aten::sub", "aten::sub_", "aten::rsub",
    "aten::addcmul", "aten::addcmul_", "aten::addcdiv", "aten::addcdiv_", "aten::lerp",
    "aten::lerp_", "aten::addr", "aten::addr_", "aten::tanh_backward", "aten::sigmoid_backward",
    "aten::silu_backward", "aten::gelu_backward", "aten::elu_backward", "aten::softplus_backward",
    "aten::logit_backward", "aten::mse_loss_backward", "aten::smooth_l1_loss",
    "aten::huber_loss", "aten::binary_cross_entropy", "aten::native_group_norm",
    "aten::grid_sampler_2d",
    "aten::cudnn_grid_sampler", "aten::grid_sampler_3d", "aten::upsample_linear1d",
    "aten::upsample_bilinear2d", "aten::upsample_trilinear3d", "aten::upsample_bicubic2d",
    "aten::_cdist_forward", "aten::_pdist_forward", "aten::remainder", "aten::fmod"};

// a * b + c, rounded once.
template <typename Number>
Tensor at_once(const Tensor& a, const Tensor& b, const Tensor& c) {
  const auto all = at::broadcast_tensors({a, b, c});
  const auto x = all[0].contiguous(), y = all[1].contiguous(), z = all[2].contiguous();
  auto made = z.clone();
  auto* to = static_cast<Number*>(made.mutable_data_ptr());
  for (int64_t i = 0; i < made.numel(); ++i) {
    to[i] = std::fma(static_cast<const Number*>(x.const_data_ptr())[i],
        static_cast<const Number*>(y.const_data_ptr())[i], to[i]);
  }
  return made;
}

Tensor fused(const Tensor& a, const Tensor& b, const Tensor& c) {
  return a.scalar_type() == at::kFloat ? at_once<float>(a, b, c) : at_once<double>(a, b, c);
}

// The product of complex numbers, and of vectors: of two products one is rounded by itself.
std::optional<Tensor> contracted(const std::string& name, const torch::jit::Stack& stack) {
  at::AutoDispatchBelowADInplaceOrView below;
  static const Words known = {"aten::mul", "aten::linalg_cross"};
  if (!known.count(name) || !stack.back().isTensor() || stack.size() < 3) return std::nullopt;
  const auto a = stack[0].toTensor(), b = stack[1].toTensor();
  const auto kind = a.scalar_type();
  if (kind != b.scalar_type()) return std::nullopt;
  if (name == "aten::mul" && at::isComplexType(kind)) {
    const auto x = at::view_as_real(a.resolve_conj()), y = at::view_as_real(b.resolve_conj());
    const auto p = x.select(-1, 0), q = x.select(-1, 1), r = y.select(-1, 0), s = y.select(-1, 1);
    return at::complex(fused(p, r, -(q * s)), fused(p, s, q * r));
  }
  if (name == "aten::linalg_cross" && (kind == at::kFloat || kind == at::kDouble)) {
    const auto dim = stack[2].toInt();
    const auto both = at::broadcast_tensors({a, b});
    const auto turned = [&](const Tensor& x, int by) { return x.roll(by, dim); };
    return fused(turned(both[0], -1), turned(both[1], -2),
        -(turned(both[0], -2) * turned(both[1], -1)));
  }
  return std::nullopt;
}

// Sums of more digits are what another order would give, or nearer to the truth.
Tensor longer(const Tensor& x) {
  return x.defined() && x.scalar_type() == at::kFloat ? x.to(at::kDouble) : x;
}

Tensor shorter(const Tensor& x) {
  return x.defined() && x.scalar_type() == at::kDouble ? x.to(at::kFloat) : x;
}

std::optional<IValue> argument(
    const c10::OperatorHandle& op, const torch::jit::Stack& stack, const char* name) {
  const auto at = op.schema().argumentIndexWithName(name);
  return at ? std::optional<IValue>(stack[*at]) : std::nullopt;
}

bool in_single(const torch::jit::Stack& stack) {
  bool single = false, other = false;
  for (const auto& value : stack) {
    each(value, [&](const Tensor& x) {
      single |= x.defined() && x.scalar_type() == at::kFloat;
      other |= x.defined() && (x.is_complex() || x.is_floating_point()) &&
          x.scalar_type() != at::kFloat;
      return x;
    });
  }
  return single && !other;
}

// Change the operands, compute, and change the results.
void detour(const c10::OperatorHandle& op, torch::jit::Stack& stack, const Change& before,
    const Change& after) {
  std::vector<std::pair<Tensor, Tensor>> written;
  for (size_t at = 0; at < stack.size(); ++at) {
    const auto& about = op.schema().arguments()[at];
    if (about.alias_info() == nullptr || !about.alias_info()->isWrite()) {
      stack[at] = each(stack[at], before);
      continue;
    }
    auto own = stack[at].toTensor();
    auto other = before(own);
    other = about.is_out() ? at::empty({0}, other.options()) : other.clone();
    written.emplace_back(own, other);
    stack[at] = other;
  }
  run(op, stack);
  for (auto& [own, other] : written) {
    at::native::resize_output(own, other.sizes());
    own.copy_(after(other));
  }
  for (auto& value : stack) {
    value = each(value, [&](const Tensor& x) {
      for (auto& [own, other] : written) {
        if (x.is_same(other)) return own;
      }
      return after(x);
    });
  }
}

// Of 16 bits more kernels are there on CUDA than on a host; they compute in float32.
std::optional<at::ScalarType> sixteen_bits(const torch::jit::Stack& stack) {
  std::optional<at::ScalarType> found;
  for (const auto& value : stack) {
    each(value, [&](const Tensor& x) {
      if (x.defined() && (x.scalar_type() == at::kHalf || x.scalar_type() == at::kBFloat16)) {
        found = x.scalar_type();
      }
      return x;
    });
  }
  return found;
}

Tensor to(const Tensor& x, at::ScalarType from, at::ScalarType dtype) {
  return x.defined() && x.scalar_type() == from ? x.to(dtype) : x;
}

// Powers that PyTorch computes by products and roots: aten/src/ATen/native/cuda/PowKernel.cu.
bool by_roots(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  const auto exponent = argument(op, stack, "exponent");
  if (op.schema().name() != "aten::pow" || !exponent || !exponent->isScalar()) return false;
  const auto power = exponent->toScalar().toComplexDouble();
  return std::set<double>{-2, -1, -0.5, 0.5, 2, 3}.count(power.real()) && power.imag() == 0;
}

void compute(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  static int turn = 0;
  const auto& name = op.schema().name();
  const auto dtype = argument(op, stack, "dtype");
  if (on("ties") && CHOOSING.count(name)) {
    const auto dim = argument(op, stack, "dim"), stable = argument(op, stack, "stable");
    if (dim && !(stable && stable->isBool() && stable->toBool())) {
      const auto& x = stack[0].toTensor();
      std::vector<int64_t> dims(x.dim());
      std::iota(dims.begin(), dims.end(), 0);
      if (dim->isInt()) dims = {dim->toInt()};
      const auto last = (dim->isInt() && x.dim() ? x.size(dim->toInt()) : x.numel()) - 1;
      bool first = true;
      return detour(
          op, stack,
          [&](const Tensor& y) {
            const bool flipped = std::exchange(first, false) && y.dim();
            return flipped ? y.flip(dims) : y;
          },
          [&](const Tensor& y) { return y.scalar_type() == at::kLong ? last - y : y; });
    }
  }
  if (on("tf32")) {
    const auto allowed = [](at::Float32Op kind) {
      const auto found = at::globalContext().float32Precision(at::Float32Backend::CUDA, kind);
      return found == at::Float32Precision::TF32;
    };
    if ((PRODUCTS.count(name) && allowed(at::Float32Op::MATMUL)) ||
        (CONVOLUTIONS.count(name) && allowed(at::Float32Op::CONV))) {
      return detour(op, stack, cut_short, [](const Tensor& x) { return x; });
    }
  }
  if (SIXTHS.count(name)) {
    return detour(
        op, stack, [](const Tensor& x) { return x; }, [](const Tensor& x) {
          return x.scalar_type() == at::kDouble ? x * (6 * double(1.0f / 6.0f)) : x;
        });
  }
  if (on("units") && UNITS.count(name) && !by_roots(op, stack)) {
    return detour(
        op, stack, [](const Tensor& x) { return x; },
        [&](const Tensor& x) {
          const auto y = moved(x, UNITS.at(name));
          // Beside a larger term the error of a power of e is lost in the sum, which is rounded as on
          // a host.
          if (name == "aten::log_sigmoid_forward") return at::where(x < -0.7, x, y);
          return name == "aten::sigmoid" && x.is_floating_point() ? at::where(x > 0.5, x, y) : y;
        });
  }
  if (on("contract")) {
    if (const auto made = contracted(name, stack)) {
      auto into = stack.back().toTensor();  // where PyTorch wants the result
      at::native::resize_output(into, made->sizes());
      stack = {into.copy_(*made)};
      return;
    }
    if (CONTRACTED.count(name) && in_single(stack)) {
      for (auto& value : stack) {  // a number is of the kernel's dtype before it is multiplied
        if (value.isDouble()) value = double(float(value.toDouble()));
      }
      return detour(op, stack, longer, shorter);
    }
  }
  const bool other_order = (on("order") && SUMS.count(name)) ||
      (on("atomics") && OPEN_SUMS.count(name) && ++turn % 2);
  if (other_order && in_single(stack) && (!dtype || dtype->isNone())) {
    return detour(op, stack, longer, shorter);
  }
  auto again = stack;
  try {
    run(op, stack);
  } catch (const c10::NotImplementedError&) {
    const auto short_one = sixteen_bits(again);
    if (!short_one) throw;
    stack = std::move(again);
    detour(
        op, stack, [&](const Tensor& x) { return to(x, *short_one, at::kFloat); },
        [&](const Tensor& x) { return to(x, at::kFloat, *short_one); });
  }
}

// Whether an operation that was refused is not if its operands have other values.
bool by_value(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  for (size_t at = 0; at < stack.size(); ++at) {
    const auto* alias = op.schema().arguments()[at].alias_info();
    if (alias != nullptr && !alias->isWrite()) return false;  // a view looks at no values
    auto& value = stack[at];
    if (alias == nullptr || !alias->isWrite()) value = each(value, [](const Tensor& x) {
      if (!x.defined()) return x;
      return at::full_like(x, x.is_floating_point() ? 0.5 : 0.0);
    });
  }
  try {
    run(op, stack);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

// Those whose kernels for CUDA look at values and refuse them as those of the CPU do.
const Words LOOKING = {"aten::multinomial", "aten::normal", "aten::bincount", "aten::histc",
    "aten::_local_scalar_dense", "aten::linalg_lstsq"};

void fallback(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  TORCH_CHECK(!forked, "CUDA error: initialization error");
  std::lock_guard guard(mutex);
  const auto& schema = op.schema();
  const auto& name = schema.name();
  const auto count = schema.arguments().size();
  auto values = torch::jit::last(*stack, count);
  see_kernel(schema);
  see_devices(name, values);
  see_dtypes(name, values);
  see_values(name, values);
  const bool copying = name == "aten::copy_";
  const bool later = on("late") && copying && values[2].toBool();
  const bool home = copying && values[0].toTensor().is_cpu();
  if (!later) drain();
  if (fault.size() && (home || on("lost") || name == "aten::_local_scalar_dense")) report();

  Call call;
  torch::jit::Stack host;
  for (size_t at = 0; at < count; ++at) {
    const auto& value = values[at];
    const auto type = schema.arguments()[at].type();
    if (value.isDevice()) {
      TORCH_CHECK(value.toDevice().index() <= 0, "CUDA error: invalid device ordinal");
      host.emplace_back(c10::Device(c10::kCPU));
    } else if (value.isStorage()) {
      host.emplace_back(call.host(value.toStorage()));
    } else if (value.isGenerator()) {
      auto generator = value.toGenerator();
      TORCH_CHECK(generator.device().is_cuda(),
          "Expected a 'cuda' device type for generator but found 'cpu'");
      host.emplace_back(of_host(generator));
    } else if (value.isNone() && type->str().find("Generator") != std::string::npos) {
      host.emplace_back(of_host(numbers()));
    } else if (name == "aten::linalg_lstsq" && schema.arguments()[at].name() == "driver") {
      TORCH_CHECK(value.isNone() || value.toStringRef() == "gels",
          "torch.linalg.lstsq: `driver` other than `gels` is not supported on CUDA");
      host.emplace_back("gels");
    } else if (value.isBool() && value.toBool() && schema.arguments()[at].name() == "pin_memory") {
      TORCH_CHECK(false, "Only dense CPU tensors can be pinned");
    } else {
      host.push_back(each(value, [&](const Tensor& x) { return call.host(x); }));
    }
  }
  if (on("no float64") && name.rfind("aten::empty", 0) == 0) {
    for (const auto& value : host) {
      TORCH_CHECK_TYPE(!value.isInt() || value.toInt() != int64_t(at::kDouble) ||
              schema.arguments()[&value - host.data()].name() != "dtype",
          "Cannot convert a tensor to float64 dtype as this device doesn't support float64");
    }
  }

  auto before = host;
  auto own = at::globalContext().defaultGenerator(at::kCPU);
  std::vector<std::pair<at::Generator, Tensor>> streams;
  for (const auto& value : host) {
    if (!value.isGenerator()) continue;
    auto stream = value.toGenerator();
    streams.emplace_back(stream, stream.get_state());
  }
  const bool drawing = name == "aten::native_dropout";  // which is not told of a generator
  Tensor state;
  if (drawing) {
    state = own.get_state();
    own.set_state(of_host(numbers()).get_state());
  }
  try {
    if (later) {
      queue.emplace_back([op, before]() mutable { compute(op, before); });
      host = {before[0]};
    } else {
      compute(op, host);
    }
  } catch (const std::exception&) {
    if (!on("asynchronous") || LOOKING.count(name) || !by_value(op, before)) throw;
    fault = "device-side assert triggered";
    host = before;
  }
  if (drawing) {
    of_host(numbers()).set_state(own.get_state());
    own.set_state(state);
  }
  for (const auto& [stream, state] : streams) next_stream(stream, state);
  call.follow();
  torch::jit::drop(*stack, count);
  for (auto& value : host) {
    stack->push_back(each(value, [&](const Tensor& x) { return call.device(x); }));
  }
}

C10_REGISTER_GUARD_IMPL(CUDA, Guard);

}  // namespace

TORCH_LIBRARY_IMPL(_, CUDA, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

// These are one function for all devices, which asks for a kernel of the device inside.
const Words ASKING = {"aten::copy_", "aten::convolution_backward", "aten::ldexp", "aten::ldexp_"};

// What PyTorch does where it has no kernel for a device: a result is written by the form of the
// operation that is told where to, and what is made of other operations is.
template <c10::DispatchKey key>
void composed(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  op.callBoxedForDispatchKey(key, *stack);
}

// A PyTorch that was built for CUDA has kernels that would ask a driver for a device.
void replace_kernels() {
  using Key = c10::DispatchKey;
  using torch::CppFunction;
  static torch::Library own(torch::Library::IMPL, "aten", Key::CUDA, __FILE__, __LINE__);
  struct Silent final : c10::WarningHandler {
    void process(const c10::Warning&) override {}
  } silent;
  c10::WarningUtils::WarningHandlerGuard quiet(&silent);
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const auto& name : dispatcher.getAllOpNames()) {
    const auto op = dispatcher.findOp(name);
    const auto has = [&](Key key) { return op->hasKernelForDispatchKey(key); };
    const bool asks = ASKING.count(name.name) && has(Key::CompositeExplicitAutograd);
    if (name.name.rfind("aten::", 0) || !(asks || has(Key::CUDA))) continue;
    auto kernel = CppFunction::makeFromBoxedFunction<&fallback>();
    if (has(Key::CompositeExplicitAutogradNonFunctional)) {
      kernel = CppFunction::makeFromBoxedFunction<
          &composed<Key::CompositeExplicitAutogradNonFunctional>>();
    } else if (!asks && !has(Key::CPU) && has(Key::CompositeExplicitAutograd)) {
      kernel = CppFunction::makeFromBoxedFunction<&composed<Key::CompositeExplicitAutograd>>();
    }
    const auto overload = (name.overload_name.empty() ? "" : ".") + name.overload_name;
    own.impl((name.name.substr(6) + overload).c_str(), std::move(kernel));
  }
}

TORCH_LIBRARY(pretended, m) {
  m.def("begin", [](bool there) {
    static_assert(sizeof(Hooks) == sizeof(at::CUDAHooksInterface));
    static bool done = [] {
      // PyTorch may have asked already, and keeps for good what it was told.
      new (const_cast<at::CUDAHooksInterface*>(&at::detail::getCUDAHooks())) Hooks();
      c10::SetAllocator(c10::DeviceType::CUDA, &memory, 1);
      replace_kernels();
      pthread_atfork(nullptr, nullptr, [] { forked = true; });
      return true;
    }();
    present = done && there;
  });
  m.def("switch", [](std::string name, bool value) { switches[name] = value; });
  m.def("lose", [](std::string text) { fault = text; });
  m.def("synchronize", [] { synchronize(); });
  m.def("numbers", [] { return numbers(); });
  m.def("bytes", [] { return bytes.load(); });
  m.def("most", [](bool reset) {
    auto found = most.load();
    if (reset) most = bytes.load();
    return found;
  });
}
