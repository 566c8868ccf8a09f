import type { PageProps } from '@/app/page-props';

export function Page({ params }: PageProps) {
  return <main id="main" className="plain-page"><h1>{Object.values(params).join(' ')}</h1></main>;
}
