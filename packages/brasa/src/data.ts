/** Data sets, batches, and conversion from and to browser images. */
import { bound, type Given } from './bind.ts';
import { tensor } from './create.ts';
import type { TypedArray } from './dtype.ts';
import { ArgumentError, DataError } from './errors.ts';
import { stack } from './generated/functions.ts';
import { scope } from './memory.ts';
import { Tensor } from './tensor.ts';

/** Examples by index. */
export interface Dataset<T> {
  readonly length: number;
  get(n: number): T | Promise<T>;
}

/** For each field, the flat elements of all examples and the shape of one. */
export type Fields = Readonly<Record<string, { readonly data: TypedArray; readonly shape: readonly number[] }>>;

/** Examples in typed arrays, field by field; batches are copied without creating single examples. */
export class ArrayDataset<F extends Fields> implements Dataset<{ [K in keyof F]: Tensor }> {
  readonly length: number;

  constructor(readonly fields: F) {
    const lengths = Object.entries(fields).map(([name, field]) => {
      const [data, shape] = bound<[TypedArray, readonly number[]]>(`ArrayDataset.${name}`, '* data:e shape:e', [field]);
      const count = data.length / elements(shape);
      if (!Number.isInteger(count)) throw new DataError(`dataset: '${name}' has ${data.length} elements, not a multiple of ${elements(shape)}`);
      return count;
    });
    this.length = lengths[0] ?? 0;
    if (lengths.some((count) => count !== this.length)) throw new DataError(`dataset: the fields have ${lengths.join(' and ')} examples`);
  }

  get(n: number): { [K in keyof F]: Tensor } {
    return this.batch([n], false);
  }

  /** The examples with these indices, stacked. */
  batch(numbers: readonly number[], isBatched = true): { [K in keyof F]: Tensor } {
    for (const n of numbers) {
      if (!(Number.isInteger(n) && n >= 0 && n < this.length)) throw new ArgumentError(`dataset: there is no example ${n} of ${this.length}`);
    }
    const picked = Object.entries(this.fields).map(([name, { data, shape }]) => {
      const width = elements(shape);
      const out = new (data.constructor as new (length: number) => TypedArray)(width * numbers.length);
      numbers.forEach((n, at) => out.set(data.subarray(n * width, (n + 1) * width) as never, at * width));
      return [name, tensor(out, { shape: isBatched ? [numbers.length, ...shape] : shape, transfer: true })] as const;
    });
    return Object.fromEntries(picked) as { [K in keyof F]: Tensor };
  }
}

const elements = (shape: readonly number[]): number => shape.reduce((product, len) => product * len, 1);

/** Settings of a `DataLoader`. */
export interface LoaderOptions {
  batchSize?: number;
  /** Whether each pass uses a new random order. */
  shuffle?: boolean;
  /** Whether to drop an incomplete last batch. */
  dropLast?: boolean;
  /** The seed of the random orders. */
  seed?: number;
}

/** Batches of a data set: `for await (const batch of loader)`. Each loop is a new pass. */
export class DataLoader<T extends Readonly<Record<string, Tensor>>> implements AsyncIterable<T> {
  #pass = 0;
  readonly #settings: readonly [batchSize: number, shuffle: boolean, dropLast: boolean, seed: number];

  constructor(private readonly dataset: Dataset<T> & { batch?(numbers: readonly number[]): T }, ...given: Given<LoaderOptions, ['batchSize', 'shuffle']>) {
    const [, batchSize = 1, shuffle = false, dropLast = false, seed = 0] =
      bound<[unknown, number?, boolean?, boolean?, number?]>('DataLoader', 'dataset:o batchSize?c shuffle?b * dropLast?b seed?n', [dataset, ...given]);
    if (batchSize < 1) throw new ArgumentError('DataLoader: batchSize is 0, expected at least 1');
    this.#settings = [batchSize, shuffle, dropLast, seed];
  }

  /** Number of batches. */
  get length(): number {
    const [batchSize, , dropLast] = this.#settings;
    const count = this.dataset.length / batchSize;
    return dropLast ? Math.floor(count) : Math.ceil(count);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    const [batchSize, shuffle, , seed] = this.#settings;
    const order = Array.from({ length: this.dataset.length }, (_, n) => n);
    if (shuffle) shuffleInPlace(order, seed + 0x9e37_79b9 * this.#pass);
    this.#pass += 1;
    for (let n = 0; n < this.length; n += 1) {
      yield await this.#batch(order.slice(n * batchSize, (n + 1) * batchSize));
    }
  }

  async #batch(numbers: readonly number[]): Promise<T> {
    if (this.dataset.batch) return this.dataset.batch(numbers);
    const examples = await Promise.all(numbers.map((n) => this.dataset.get(n)));
    return scope(() => {
      const names = Object.keys(examples[0] ?? {});
      return Object.fromEntries(names.map((name) => [name, stack(examples.map((example) => example[name] as Tensor))])) as unknown as T;
    });
  }
}

/** Shuffles a list in place, determined by the seed. */
function shuffleInPlace(items: number[], seed: number): void {
  let state = seed >>> 0;
  const next = (): number => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
  for (let n = items.length - 1; n > 0; n -= 1) {
    const other = Math.floor(next() * (n + 1));
    [items[n], items[other]] = [items[other] as number, items[n] as number];
  }
}

/** Reads an array in the IDX format, as used by MNIST. */
export function readIdx(file: ArrayBuffer | Uint8Array): { data: Uint8Array; shape: number[] } {
  const bytes = file instanceof Uint8Array ? file : new Uint8Array(file);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 4 || view.getUint16(0) !== 0) throw new DataError('idx: this is not an IDX file');
  if (bytes[2] !== 8) throw new DataError(`idx: elements of type ${bytes[2]}, only bytes (8) are supported`);
  const rank = bytes[3] as number;
  if (bytes.length < 4 + 4 * rank) throw new DataError('idx: the file ends within its header');
  const shape = Array.from({ length: rank }, (_, n) => view.getUint32(4 + 4 * n));
  const data = bytes.subarray(4 + 4 * rank);
  if (data.length !== elements(shape)) throw new DataError(`idx: ${data.length} elements, [${shape.join(', ')}] needs ${elements(shape)}`);
  return { data, shape };
}

/** The browser's image types. */
export type PixelSource = ImageData | ImageBitmap | HTMLCanvasElement | OffscreenCanvas | HTMLImageElement | HTMLVideoElement;

/** The size of an image; 0 if it is not loaded yet. */
function sizeOf(image: Exclude<PixelSource, ImageData>): { width: number; height: number } {
  if ('videoWidth' in image) return { width: image.videoWidth, height: image.videoHeight };
  if ('naturalWidth' in image) return { width: image.naturalWidth, height: image.naturalHeight };
  return image;
}

function pixelsOf(image: PixelSource): ImageData {
  if ('data' in image) return image;
  const { width, height } = sizeOf(image);
  if (width === 0 || height === 0) throw new DataError('fromPixels: the image is empty, or not loaded yet');
  const pen = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  if (!pen) throw new DataError('fromPixels: no 2d canvas to draw the image on');
  pen.drawImage(image, 0, 0, width, height);
  return pen.getImageData(0, 0, width, height);
}

/** The image at a URL as a tensor `[channels, height, width]` from 0 to 1. */
export async function imageFromUrl(url: string | URL, channels: 1 | 3 | 4 = 3): Promise<Tensor> {
  if (typeof createImageBitmap === 'undefined') throw new DataError('imageFromUrl: images cannot be decoded here');
  const answer = await fetch(url);
  if (!answer.ok) throw new DataError(`imageFromUrl: ${String(url)} cannot be loaded: ${answer.status} ${answer.statusText}`);
  const bitmap = await createImageBitmap(await answer.blob()).catch(() => {
    throw new DataError(`imageFromUrl: ${String(url)} is not an image`);
  });
  try {
    return fromPixels(bitmap, channels);
  } finally {
    bitmap.close();
  }
}

/** An image as a tensor `[channels, height, width]` from 0 to 1; for a video, its current frame. */
export function fromPixels(image: PixelSource, channels: 1 | 3 | 4 = 3): Tensor {
  bound('fromPixels', 'channels?1|3|4', [channels]);
  const { data, width, height } = pixelsOf(image);
  return scope(() => {
    const x = tensor(data, { shape: [height, width, 4] }).to('f32').div(255).permute(2, 0, 1);
    if (channels === 4) return x;
    const rgb = x.narrow(0, 0, 3);
    return channels === 3 ? rgb : rgb.mul(tensor([0.299, 0.587, 0.114], { shape: [3, 1, 1] })).sum(0, true);
  });
}

/** A tensor `[channels, height, width]` (or `[height, width]`) from 0 to 1 as an image. */
export async function toPixels(x: Tensor): Promise<ImageData> {
  const [height = 0, width = 0] = x.shape.slice(-2);
  const channels = x.ndim === 2 ? 1 : (x.shape[0] ?? 1);
  const values = await x.toArray();
  const pixels = new Uint8ClampedArray(4 * width * height);
  for (let n = 0; n < width * height; n += 1) {
    for (let c = 0; c < 3; c += 1) pixels[4 * n + c] = 255 * (values[n + width * height * Math.min(c, channels - 1)] as number);
    pixels[4 * n + 3] = channels === 4 ? 255 * (values[n + 3 * width * height] as number) : 255;
  }
  return new ImageData(pixels, width, height);
}
