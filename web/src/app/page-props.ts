/** Props of every page: the variables of its address. */
export interface PageProps {
  params: Readonly<Record<string, string>>;
}
