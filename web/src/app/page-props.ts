/** Props of every page: the variables of its URL path, such as the draw number. */
export interface PageProps {
  params: Readonly<Record<string, string>>;
}
