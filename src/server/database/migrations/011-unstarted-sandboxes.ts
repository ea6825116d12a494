/** What a sandbox had been billed before a start, so that a start that fails is refunded. Older sandboxes have started. */
export const unstartedSandboxes: readonly string[] = ['alter table sandboxes add column billed_before_start bigint'];
