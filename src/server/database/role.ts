/** What a member may do in an organization, from the least to the most. */
export const roles = ['member', 'admin', 'owner'] as const;

export type Role = (typeof roles)[number];
