/** Types of elements, and the typed arrays that hold them. */
import { taken } from './buffers.ts';

/** The type of a tensor's elements. */
export type DType = 'f32' | 'f64' | 'f16' | 'bf16' | 'i64' | 'i32' | 'u32' | 'u8' | 'i8' | 'bool';

/** Types of elements by PyTorch's names, and by those of the devices. */
export type DTypeName =
  | DType
  | 'float32' | 'float64' | 'float16' | 'bfloat16' | 'int64' | 'int32' | 'uint32' | 'uint8' | 'int8'
  | 'float' | 'double' | 'half' | 'long' | 'int';

/** In the order of the recorder's numbers. */
export const DTYPES: readonly DType[] = ['f32', 'f64', 'f16', 'bf16', 'i64', 'i32', 'u32', 'u8', 'i8', 'bool'];

const OTHER_NAMES: Readonly<Record<string, DType>> = {
  float32: 'f32', float: 'f32', float64: 'f64', double: 'f64', float16: 'f16', half: 'f16', bfloat16: 'bf16',
  int64: 'i64', long: 'i64', int32: 'i32', int: 'i32', uint32: 'u32', uint8: 'u8', int8: 'i8',
};

/** The typed arrays that elements are given in and handed out as. */
export type TypedArray =
  | Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array | Uint8ClampedArray | Int8Array
  | Int16Array | Uint16Array | BigInt64Array | BigUint64Array;

/** What `toArray` hands out. */
export type Elements = Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array | Int8Array;

export function dtypeOf(name: DTypeName): DType {
  return OTHER_NAMES[name] ?? (name as DType);
}

export function bytesOf(dtype: DType): number {
  switch (dtype) {
    case 'f64': case 'i64': return 8;
    case 'f32': case 'i32': case 'u32': return 4;
    case 'f16': case 'bf16': return 2;
    case 'u8': case 'i8': case 'bool': return 1;
    default: return dtype satisfies never;
  }
}

/** The types that typed arrays are taken for. */
const NATURAL: Readonly<Record<string, DType>> = {
  Float16Array: 'f16', Float32Array: 'f32', Float64Array: 'f64', Int8Array: 'i8', Uint8Array: 'u8', Uint8ClampedArray: 'u8',
  Int16Array: 'i32', Uint16Array: 'i32', Int32Array: 'i32', Uint32Array: 'u32', BigInt64Array: 'i64', BigUint64Array: 'i64',
};

/** The type that a typed array is taken for. */
export function naturalDType(data: TypedArray): DType {
  return NATURAL[data[Symbol.toStringTag]] ?? 'f32';
}

/** Whether the bytes of a typed array are those of a tensor of this type. */
export function hasBytesOf(data: TypedArray, dtype: DType): boolean {
  return naturalDType(data) === dtype && data.BYTES_PER_ELEMENT === bytesOf(dtype);
}

/** The bytes of these elements as a dtype, in a buffer of their own. */
export function toBytes(data: ArrayLike<number | bigint | boolean>, dtype: DType): Uint8Array<ArrayBuffer> {
  const len = data.length;
  const numbers = data as ArrayLike<number>;
  if (ArrayBuffer.isView(data) && hasBytesOf(data as unknown as TypedArray, dtype)) {
    const { buffer, byteOffset, byteLength } = data as unknown as TypedArray;
    const copy = taken(byteLength);
    copy.set(new Uint8Array(buffer, byteOffset, byteLength));
    return copy;
  }
  switch (dtype) {
    case 'f32': return bytes(Float32Array.from(numbers, Number));
    case 'f64': return bytes(Float64Array.from(numbers, Number));
    case 'i32': return bytes(Int32Array.from(numbers, Number));
    case 'u32': return bytes(Uint32Array.from(numbers, Number));
    case 'u8': return bytes(Uint8Array.from(numbers, Number));
    case 'i8': return bytes(Int8Array.from(numbers, Number));
    case 'bool': return bytes(Uint8Array.from(numbers, (x) => (x ? 1 : 0)));
    case 'i64': return bytes(BigInt64Array.from({ length: len }, (_, i) => whole(data[i] as number | bigint | boolean)));
    case 'f16': return bytes(Uint16Array.from(numbers, (x) => halfBits(Number(x))));
    case 'bf16': return bytes(Uint16Array.from(numbers, (x) => bfloatBits(Number(x))));
    default: return dtype satisfies never;
  }
}

function whole(x: number | bigint | boolean): bigint {
  return typeof x === 'bigint' ? x : BigInt(Math.trunc(Number(x)));
}

function bytes(array: TypedArray): Uint8Array<ArrayBuffer> {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength) as Uint8Array<ArrayBuffer>;
}

/** The elements behind bytes. 64-bit integers become numbers, exact up to 2^53. */
export function fromBytes(all: Uint8Array<ArrayBuffer>, dtype: DType): Elements {
  const { buffer, byteOffset, byteLength } = all;
  const len = byteLength / bytesOf(dtype);
  switch (dtype) {
    case 'f32': return new Float32Array(buffer, byteOffset, len);
    case 'f64': return new Float64Array(buffer, byteOffset, len);
    case 'i32': return new Int32Array(buffer, byteOffset, len);
    case 'u32': return new Uint32Array(buffer, byteOffset, len);
    case 'u8': case 'bool': return new Uint8Array(buffer, byteOffset, len);
    case 'i8': return new Int8Array(buffer, byteOffset, len);
    case 'i64': return Float64Array.from(new BigInt64Array(buffer, byteOffset, len), Number);
    case 'f16': return Float32Array.from(new Uint16Array(buffer, byteOffset, len), fromHalf);
    case 'bf16': return Float32Array.from(new Uint16Array(buffer, byteOffset, len), fromBfloat);
    default: return dtype satisfies never;
  }
}

const single = new Float32Array(1);
const singleBits = new Uint32Array(single.buffer);

function fromBfloat(bits: number): number {
  singleBits[0] = bits << 16;
  return single[0] as number;
}

/** To the nearest, ties to even. */
function bfloatBits(x: number): number {
  single[0] = x;
  const bits = singleBits[0] as number;
  if (Number.isNaN(x)) return 0x7fc0;
  return (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
}

function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** To the nearest, ties to even. */
function halfBits(x: number): number {
  if (Number.isNaN(x)) return 0x7e00;
  const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0;
  const size = Math.abs(x);
  if (size >= 65520) return sign | 0x7c00;
  const exponent = Math.max(Math.floor(Math.log2(size || 2 ** -24)), -14);
  const scaled = size * 2 ** (10 - exponent);
  const floor = Math.floor(scaled);
  const rest = scaled - floor;
  const rounded = floor + (rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? 1 : 0);
  // The leading one of the fraction counts as one more in the exponent; where there is none, it is subnormal.
  return sign | (((exponent + 14) << 10) + rounded);
}
