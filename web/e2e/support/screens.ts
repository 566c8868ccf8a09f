/** A screen that its path alone opens. */
export interface Screen {
  name: string;
  path: string;
}
