/** Dtypes, and their conversion from and to typed arrays. */
import { takeBuffer } from './buffers.ts';
import { ArgumentError } from './errors.ts';

/** The dtype of a tensor. */
export type DType = 'f32' | 'f64' | 'f16' | 'bf16' | 'i64' | 'i32' | 'u32' | 'u8' | 'i8' | 'bool';

/** Dtypes by short names and by PyTorch's names. */
export type DTypeName =
  | DType
  | 'float32' | 'float64' | 'float16' | 'bfloat16' | 'int64' | 'int32' | 'uint32' | 'uint8' | 'int8'
  | 'float' | 'double' | 'half' | 'long' | 'int';

/** A typed array constructor. */
interface Arrays {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, byteOffset: number, length: number): TypedArray;
  from(items: ArrayLike<unknown>, item: (x: never) => unknown): TypedArray;
}

/** The typed array that stores each dtype, half floats as bits, in the order of the recorder's dtype ids. */
const ARRAYS = {
  f32: Float32Array, f64: Float64Array, f16: Uint16Array, bf16: Uint16Array, i64: BigInt64Array,
  i32: Int32Array, u32: Uint32Array, u8: Uint8Array, i8: Int8Array, bool: Uint8Array,
} as unknown as Readonly<Record<DType, Arrays>>;

/** In the order of the recorder's dtype ids. */
export const DTYPES = Object.keys(ARRAYS) as readonly DType[];

const OTHER_NAMES: Readonly<Record<string, DType>> = {
  float32: 'f32', float: 'f32', float64: 'f64', double: 'f64', float16: 'f16', half: 'f16', bfloat16: 'bf16',
  int64: 'i64', long: 'i64', int32: 'i32', int: 'i32', uint32: 'u32', uint8: 'u8', int8: 'i8',
};

/** The typed arrays accepted as data. */
export type TypedArray =
  | Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array | Uint8ClampedArray | Int8Array
  | Int16Array | Uint16Array | BigInt64Array | BigUint64Array;

/** The typed arrays that `toArray` returns. */
export type Elements = Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array | Int8Array;

export function dtypeOf(name: DTypeName): DType {
  return OTHER_NAMES[name] ?? (name as DType);
}

function arraysOf(dtype: DType): Arrays {
  if (!DTYPES.includes(dtype)) throw new ArgumentError(`tensor: there is no dtype '${dtype}'`);
  return ARRAYS[dtype];
}

export function bytesOf(dtype: DType): number {
  return arraysOf(dtype).BYTES_PER_ELEMENT;
}

/** The dtype of each typed array. */
const NATURAL: Readonly<Record<string, DType>> = {
  Float16Array: 'f16', Float32Array: 'f32', Float64Array: 'f64', Int8Array: 'i8', Uint8Array: 'u8', Uint8ClampedArray: 'u8',
  Int16Array: 'i32', Uint16Array: 'i32', Int32Array: 'i32', Uint32Array: 'u32', BigInt64Array: 'i64', BigUint64Array: 'i64',
};

/** The dtype of a tensor made from this typed array. */
export function naturalDType(data: TypedArray): DType {
  return NATURAL[data[Symbol.toStringTag]] ?? 'f32';
}

/** Whether a typed array has the memory layout of a tensor of this dtype. */
export function hasBytesOf(data: TypedArray, dtype: DType): boolean {
  return naturalDType(data) === dtype && data.BYTES_PER_ELEMENT === bytesOf(dtype);
}

/** Conversion of an element for storage; `Number` for the others. */
const ENCODE: { readonly [K in DType]?: (x: number | bigint | boolean) => number | bigint } = {
  bool: (x) => (x ? 1 : 0),
  i64: toBigInt,
  f16: (x) => halfBits(Number(x)),
  bf16: (x) => bfloatBits(Number(x)),
};

/** The bytes of these elements as a dtype, in a new buffer. */
export function toBytes(data: ArrayLike<number | bigint | boolean>, dtype: DType): Uint8Array<ArrayBuffer> {
  if (ArrayBuffer.isView(data) && hasBytesOf(data as unknown as TypedArray, dtype)) {
    const { buffer, byteOffset, byteLength } = data as unknown as TypedArray;
    const copy = takeBuffer(byteLength);
    copy.set(new Uint8Array(buffer, byteOffset, byteLength));
    return copy;
  }
  return new Uint8Array(arraysOf(dtype).from(data, ENCODE[dtype] ?? Number).buffer as ArrayBuffer);
}

function toBigInt(x: number | bigint | boolean): bigint {
  return typeof x === 'bigint' ? x : BigInt(Math.trunc(Number(x)));
}

/** Typed array and conversion of a read element, for dtypes that are not returned as stored. */
const DECODE: { readonly [K in DType]?: readonly [Arrays, (x: never) => number] } = {
  i64: [Float64Array as unknown as Arrays, Number],
  f16: [Float32Array as unknown as Arrays, fromHalf],
  bf16: [Float32Array as unknown as Arrays, fromBfloat],
};

/** The elements in these bytes. 64-bit integers become numbers, exact up to 2^53. */
export function fromBytes({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>, dtype: DType): Elements {
  const held = new (arraysOf(dtype))(buffer, byteOffset, byteLength / bytesOf(dtype));
  const [arrays, item] = DECODE[dtype] ?? [];
  return (arrays && item ? arrays.from(held, item) : held) as Elements;
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
  // The leading one of the fraction adds one to the exponent; without it, the number is subnormal.
  return sign | (((exponent + 14) << 10) + rounded);
}
