interface NewestPaymentsProps {
  listed: readonly unknown[] | undefined;
  /** How many there are, and how many a list holds at most. */
  sums: { count: number; listedMax: number } | undefined;
}

/** Said below a list of payments that is full: it holds the newest, the sums beside it are of all. */
export function NewestPayments({ listed, sums }: NewestPaymentsProps) {
  if (!listed || !sums || listed.length < sums.listedMax) return null;
  return (
    <p className="meta">
      The list holds the newest {sums.listedMax} payments; the sums are of all {sums.count} that
      succeeded.
    </p>
  );
}
