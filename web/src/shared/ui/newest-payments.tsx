interface NewestPaymentsOnlyNoteProps {
  listed: readonly unknown[] | undefined;
  /** The number of succeeded payments, and the maximum number of payments in the list. */
  sums: { count: number; listedMax: number } | undefined;
}

/**
 * Note below a full list of payments: the list has only the newest payments, while the sums cover
 * all.
 */
export function NewestPaymentsOnlyNote({ listed, sums }: NewestPaymentsOnlyNoteProps) {
  if (!listed || !sums || listed.length < sums.listedMax) return null;
  return (
    <p className="meta">
      The list holds the newest {sums.listedMax} payments; the sums are of all {sums.count} that
      succeeded.
    </p>
  );
}
