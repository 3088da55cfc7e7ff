/** Sends the headers of cross-origin isolation with everything the dev and preview servers serve. */
export declare function isolation(): {
  name: string;
  configureServer(server: unknown): void;
  configurePreviewServer(server: unknown): void;
  config(): { optimizeDeps: { exclude: string[] } };
};
export default isolation;
