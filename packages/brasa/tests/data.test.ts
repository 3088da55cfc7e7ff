/** Browser images as tensors. */
import { data } from '../src/index.ts';
import { type Context, test } from './harness.ts';

const [WIDTH, HEIGHT] = [3, 2];

/** Two rows of red, green and blue; of white, black and red. */
const PIXELS = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255], [0, 0, 0], [255, 0, 0]];
const CHANNELS = [0, 1, 2].map((c) => [0, 1].map((y) => [0, 1, 2].map((x) => (PIXELS[3 * y + x] as number[])[c] as number / 255)));

function painted<T extends HTMLCanvasElement | OffscreenCanvas>(canvas: T): T {
  const pen = canvas.getContext('2d') as CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;
  PIXELS.forEach((color, n) => {
    pen.fillStyle = `rgb(${color.join()})`;
    pen.fillRect(n % WIDTH, Math.floor(n / WIDTH), 1, 1);
  });
  return canvas;
}

function onPage(): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [WIDTH, HEIGHT];
  return painted(canvas);
}

const blob = (): Promise<Blob> => painted(new OffscreenCanvas(WIDTH, HEIGHT)).convertToBlob({ type: 'image/png' });

async function image(): Promise<HTMLImageElement> {
  const made = new Image();
  made.src = URL.createObjectURL(await blob());
  await made.decode();
  return made;
}

/** A video whose frames show the image. */
async function video(): Promise<HTMLVideoElement> {
  const made = document.createElement('video');
  const canvas = onPage();
  made.muted = true;
  made.srcObject = canvas.captureStream();
  made.play().catch(() => undefined);
  // A canvas stream emits a frame when the canvas is painted.
  while (made.readyState < made.HAVE_CURRENT_DATA) {
    painted(canvas);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return made;
}

const SOURCES: Record<string, () => data.PixelSource | Promise<data.PixelSource>> = {
  ImageData: () => painted(new OffscreenCanvas(WIDTH, HEIGHT)).getContext('2d')!.getImageData(0, 0, WIDTH, HEIGHT),
  OffscreenCanvas: () => painted(new OffscreenCanvas(WIDTH, HEIGHT)),
  HTMLCanvasElement: onPage,
  ImageBitmap: async () => createImageBitmap(await blob()),
  HTMLImageElement: image,
};

function needsPage(t: Context): void {
  if (typeof document === 'undefined') t.skip('there are no images outside of a page');
}

test('images of every type become tensors', async (t) => {
  needsPage(t);
  for (const [name, source] of Object.entries(SOURCES)) {
    t.close(await data.fromPixels(await source()).toArray(), CHANNELS.flat(2), 1e-6, name);
  }
  const picture = onPage();
  t.equal([data.fromPixels(picture, 1).shape, data.fromPixels(picture, 4).shape], [[1, HEIGHT, WIDTH], [4, HEIGHT, WIDTH]]);
  const back = await data.toPixels(data.fromPixels(picture));
  t.equal(Array.from(back.data), PIXELS.flatMap((color) => [...color, 255]));
  t.throws(() => data.fromPixels(new Image()), 'DataError', /not loaded yet/);
});

test('a video frame becomes a tensor', async (t) => {
  needsPage(t);
  const frame = data.fromPixels(await video());
  t.equal(frame.shape, [3, HEIGHT, WIDTH]);
  // Video compression changes colours: white stays bright and black dark.
  const all = await frame.toArray();
  const brightness = (x: number, y: number): number => [0, 1, 2].reduce((total, c) => total + (all[c * HEIGHT * WIDTH + y * WIDTH + x] as number), 0);
  t.equal(brightness(0, 1) > brightness(1, 1), true, `${Array.from(all).map((v) => v.toFixed(2)).join(' ')}`);
});

test('an image is loaded from a URL', async (t) => {
  if (typeof document === 'undefined') {
    await t.rejects(data.imageFromUrl('http://127.0.0.1/'), 'DataError', /cannot be decoded here/);
    return;
  }
  const url = URL.createObjectURL(await blob());
  t.close(await (await data.imageFromUrl(url)).toArray(), CHANNELS.flat(2), 1e-6);
  await t.rejects(data.imageFromUrl(`${location.origin}/nowhere.png`), 'DataError', /404/);
  await t.rejects(data.imageFromUrl(URL.createObjectURL(new Blob(['text']))), 'DataError', /not an image/);
});
