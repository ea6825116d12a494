import * as z from 'zod/mini';
import {dateTime, maybe, uuid} from '../scalars.ts';
import {pageOf} from './page.ts';

const named = {id: uuid, slug: z.string(), name: z.string(), created_at: dateTime};

/** An organization that the caller is a member of. */
export const membershipSchema = z.looseObject({
	...named,
	description: maybe(z.string()),
	role: z.string().check(z.describe('The caller’s role in it: `member`, `admin` or `owner`.')),
});

export const membershipsSchema = pageOf(membershipSchema);

export const workspaceSchema = z.looseObject(named);

export const workspacesSchema = pageOf(workspaceSchema);

export const projectSchema = z.looseObject(named);

export const projectsSchema = pageOf(projectSchema);

export type Membership = z.input<typeof membershipSchema>;
export type Workspace = z.input<typeof workspaceSchema>;
export type Project = z.input<typeof projectSchema>;
