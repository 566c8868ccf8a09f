/** A screen with an address of its own. */
export interface Screen {
  name: string;
  path: string;
}
