import { useId, type ReactNode } from 'react';

/** One card of the gallery, with the name of the components that it shows. */
export function GalleryPart({ name, children }: { name: string; children: ReactNode }) {
  const id = useId();
  return (
    <article className="card gallery-part" aria-labelledby={id}>
      <h3 id={id}>{name}</h3>
      {children}
    </article>
  );
}
