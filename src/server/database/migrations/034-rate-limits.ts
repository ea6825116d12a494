/** How many requests a minute an API key may send to each server; null for no limit. */
export const rateLimits: readonly string[] = ['alter table api_keys add column requests_per_minute bigint'];
