/** Said where the operator has given no reason for what the audit trail keeps: in the console's dialogs, and in the form of a club's draw (decision E-9). */
export const REASON_REQUIRED = 'Give a reason: it stays in the audit trail.';
