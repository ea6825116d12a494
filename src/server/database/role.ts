/** Roles of members in an organization, from least to most privileged. */
export const roles = ['member', 'admin', 'owner'] as const;

export type MemberRole = (typeof roles)[number];
