// builtins.cl - declarations of the built-in functions that programs call, for PoCL
//
// PoCL lets clang read opencl-c.h for each program: 18,000 lines that declare all functions for all types, which take
// as long as the rest of a small program. That header's guard as a build option, -D_OPENCL_H_, leaves it out; types
// and constants are PoCL's still. A program that calls other functions is built again with the driver's
// declarations (lib/device/program.c), and checkcl fails.

#define BUILTIN __attribute__((overloadable, const))
#define EACH_WIDTH(what, type) what(type) what(type##2) what(type##4) what(type##8) what(type##16)
#define EACH_VECTOR(what, type) what(type##2, type) what(type##4, type) what(type##8, type) what(type##16, type)

// ---- work-items ----

#define BUILTIN_INDEX(name) size_t BUILTIN name(uint);
BUILTIN_INDEX(get_global_id)
BUILTIN_INDEX(get_global_size)
BUILTIN_INDEX(get_group_id)
BUILTIN_INDEX(get_local_id)
BUILTIN_INDEX(get_local_size)
BUILTIN_INDEX(get_num_groups)
void __attribute__((overloadable, convergent)) barrier(cl_mem_fence_flags);

#define BUILTIN_MEMORY __attribute__((overloadable))
#define BUILTIN_ATOMICS(space, type)                                                                                   \
    type BUILTIN_MEMORY atomic_inc(volatile space type *);                                                             \
    type BUILTIN_MEMORY atomic_add(volatile space type *, type);                                                       \
    type BUILTIN_MEMORY atomic_sub(volatile space type *, type);                                                       \
    type BUILTIN_MEMORY atomic_or(volatile space type *, type);
BUILTIN_ATOMICS(__global, int)
BUILTIN_ATOMICS(__global, uint)
BUILTIN_ATOMICS(__local, int)
BUILTIN_ATOMICS(__local, uint)

// ---- numbers ----

#define BUILTIN_ORDER(type)                                                                                            \
    type BUILTIN min(type, type);                                                                                      \
    type BUILTIN max(type, type);                                                                                      \
    type BUILTIN clamp(type, type, type);
#define BUILTIN_ORDER_BY_SCALARS(type, scalar)                                                                         \
    type BUILTIN min(type, scalar);                                                                                    \
    type BUILTIN max(type, scalar);                                                                                    \
    type BUILTIN clamp(type, scalar, scalar);
#define BUILTIN_ORDERS(type) EACH_WIDTH(BUILTIN_ORDER, type) EACH_VECTOR(BUILTIN_ORDER_BY_SCALARS, type)
BUILTIN_ORDERS(uchar)
BUILTIN_ORDERS(short)
BUILTIN_ORDERS(ushort)
BUILTIN_ORDERS(int)
BUILTIN_ORDERS(uint)
BUILTIN_ORDERS(long)
BUILTIN_ORDERS(ulong)
int BUILTIN clz(int);
uint BUILTIN clz(uint);

#define BUILTIN_REAL(type)                                                                                             \
    type BUILTIN fabs(type);                                                                                           \
    type BUILTIN ceil(type);                                                                                           \
    type BUILTIN floor(type);                                                                                          \
    type BUILTIN rint(type);                                                                                           \
    type BUILTIN sqrt(type);                                                                                           \
    type BUILTIN exp(type);                                                                                            \
    type BUILTIN exp2(type);                                                                                           \
    type BUILTIN fmin(type, type);                                                                                     \
    type BUILTIN fmax(type, type);                                                                                     \
    type BUILTIN copysign(type, type);                                                                                 \
    type BUILTIN fma(type, type, type);
#define BUILTIN_POWER(type) type BUILTIN pow(type, type);
#define BUILTIN_SELECT(type, integer) type BUILTIN select(type, type, integer);
BUILTIN_ORDERS(float)
EACH_WIDTH(BUILTIN_REAL, float)
BUILTIN_SELECT(float, int)
BUILTIN_SELECT(float2, int2)
BUILTIN_SELECT(float4, int4)
BUILTIN_SELECT(float8, int8)
BUILTIN_SELECT(float16, int16)
EACH_WIDTH(BUILTIN_POWER, float)
float BUILTIN log(float);
float BUILTIN cospi(float);
float BUILTIN dot(float2, float2);
float BUILTIN dot(float4, float4);
float4 BUILTIN_MEMORY vload4(size_t, const __global float *);
float4 BUILTIN_MEMORY vload4(size_t, const __local float *);
float4 BUILTIN_MEMORY vload4(size_t, const __private float *);
void BUILTIN_MEMORY vstore4(uint4, size_t, __private uint *);

// ---- conversions ----

#define BUILTIN_CONVERT(to, from)                                                                                      \
    to BUILTIN convert_##to(from);                                                                                     \
    to##2 BUILTIN convert_##to##2(from##2);                                                                            \
    to##4 BUILTIN convert_##to##4(from##4);                                                                            \
    to##8 BUILTIN convert_##to##8(from##8);                                                                            \
    to##16 BUILTIN convert_##to##16(from##16);
#define BUILTIN_CONVERTS(to)                                                                                           \
    BUILTIN_CONVERT(to, char)                                                                                          \
    BUILTIN_CONVERT(to, uchar)                                                                                         \
    BUILTIN_CONVERT(to, short)                                                                                         \
    BUILTIN_CONVERT(to, ushort)                                                                                        \
    BUILTIN_CONVERT(to, int)                                                                                           \
    BUILTIN_CONVERT(to, uint)                                                                                          \
    BUILTIN_CONVERT(to, long)                                                                                          \
    BUILTIN_CONVERT(to, ulong)                                                                                         \
    BUILTIN_CONVERT(to, float)
BUILTIN_CONVERTS(uchar)
BUILTIN_CONVERTS(short)
BUILTIN_CONVERTS(ushort)
BUILTIN_CONVERTS(int)
BUILTIN_CONVERTS(uint)
BUILTIN_CONVERTS(long)
BUILTIN_CONVERTS(ulong)
BUILTIN_CONVERTS(float)
int BUILTIN convert_int_rte(float);

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
BUILTIN_ORDERS(double)
EACH_WIDTH(BUILTIN_REAL, double)
BUILTIN_CONVERTS(double)
BUILTIN_CONVERT(double, double)
BUILTIN_CONVERT(uchar, double)
BUILTIN_CONVERT(ushort, double)
BUILTIN_CONVERT(int, double)
BUILTIN_CONVERT(uint, double)
BUILTIN_CONVERT(long, double)
BUILTIN_CONVERT(float, double)
#endif
