/**
 * Error for an operator who has given no reason for an audited change: in the console's dialogs and
 * in the draw form (decision E-9).
 */
export const REASON_REQUIRED_TEXT = 'Give a reason: it stays in the audit trail.';
