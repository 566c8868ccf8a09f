/** A screen that can be opened by its address. */
export interface Screen {
  name: string;
  path: string;
}
