import * as z from 'zod/mini';
import type {Client} from '../src/client/client.ts';
import {command, noun} from '../src/command/command.ts';
import {listCommand} from '../src/command/list-command.ts';
import {unchanged} from '../src/command/result.ts';
import {originalOf} from '../src/contract/lenient.ts';
import {AppError} from '../src/core/error.ts';

const roles = ['member', 'admin', 'owner'] as const;
const roleArgument = z.enum(roles, 'must be member, admin or owner');
const emailHelp = 'their e-mail address';

const list = listCommand({
	summary: 'List the members of the organization with their roles',
	examples: ['member list'],
	name: 'members',
	kind: 'member',
	line: 'member list',
	columns: ['email', 'role', 'created_at', 'suspended_at', 'user_id'],
	empty: 'No members in this organization. Others: `org list`',
	within: ['org'],
	request: (client, {params, query: {project: _, ...query}}, signal) => client.listMembers({params, query}, signal),
});

const add = command({
	name: 'add',
	summary: 'Add a user to the organization by e-mail address',
	args: z.object({email: z.string(), role: z.optional(roleArgument)}),
	positional: ['email'],
	completes: {email: 'member'},
	describe: {email: emailHelp, role: 'member by default; only an owner adds an owner'},
	examples: ['member add grace@acme.example', 'member add grace@acme.example --role admin'],
	whileRunning: true,

	async run({email, role}, {program, signal}) {
		const {client, server, scope} = await program.servers.open();
		const params = await scope('org');
		const added = await client.addMember({params, body: {email, ...(role && {role})}}, signal);
		const {password_code: code} = added;
		return {
			kind: 'text',
			text: [
				`Added ${email} to ${params.org} as ${articled(added.role ?? role ?? 'member')}.`,
				...(code ? [`Their one-time password code, valid 3 days, for ${server}/password: ${code}`] : []),
			].join('\n'),
			data: originalOf(added),
		};
	},
});

const role = command({
	name: 'role',
	summary: 'Change the role of a member',
	args: z.object({email: z.string(), role: roleArgument}),
	positional: ['email', 'role'],
	completes: {email: 'member'},
	describe: {email: emailHelp, role: 'member, admin or owner; only an owner makes an owner'},
	examples: ['member role grace@acme.example admin'],
	whileRunning: true,

	async run({email, role: wanted}, {program, signal}) {
		const {client, scope} = await program.servers.open();
		const {org} = await scope('org');
		const userId = await findUserId(client, {org, email}, signal);
		const changed = await client.updateMember({params: {org, userId}, body: {role: wanted}}, signal);
		return {kind: 'text', text: `${email} is now ${articled(wanted)} of ${org}.`, data: originalOf(changed)};
	},
});

const remove = command({
	name: 'remove',
	summary: 'Remove a member; what they made stays',
	args: z.object({email: z.string(), yes: z.optional(z.boolean())}),
	positional: ['email'],
	completes: {email: 'member'},
	describe: {email: emailHelp, yes: 'skip the confirmation'},
	examples: ['member remove grace@acme.example --yes'],
	whileRunning: true,

	async run({email, yes}, {program, ui: {interact}, signal}) {
		const {client, scope} = await program.servers.open();
		const {org} = await scope('org');
		const userId = await findUserId(client, {org, email}, signal);
		if (!yes && !(await interact.confirm(`Remove ${email} from ${org}? Their keys and logins lose access to it.`))) {
			return unchanged;
		}

		const removed = await client.removeMember({params: {org, userId}}, signal);
		const {sandboxes = 0} = removed;
		const left = sandboxes > 0 ? ` Their sandboxes still running or paused: ${sandboxes}. See \`env list\`.` : '';
		return {kind: 'text', text: `Removed ${email} from ${org}.${left}`, data: originalOf(removed)};
	},
});

const invite = command({
	name: 'invite',
	summary: 'Invite someone to the organization by a one-time link',
	args: z.object({
		email: z.string(),
		role: z.optional(roleArgument),
		expires: z.optional(z.coerce.number().check(z.int(), z.gte(1), z.lte(30))),
	}),
	positional: ['email'],
	describe: {
		email: emailHelp,
		role: 'member by default; only an owner invites an owner',
		expires: 'days that the link is valid, 7 by default',
	},
	examples: ['member invite grace@acme.example', 'member invite grace@acme.example --role admin --expires 2'],
	whileRunning: true,

	async run({email, role, expires}, {program, signal}) {
		const {client, scope} = await program.servers.open();
		const params = await scope('org');
		const body = {email, ...(role && {role}), ...(expires !== undefined && {expires_in_days: expires})};
		const invited = await client.createInvitation({params, body}, signal);
		const until = invited.expires_at?.slice(0, 10) ?? 'it expires';
		return {
			kind: 'text',
			text: [
				`Invited ${email} to ${params.org} as ${articled(invited.role ?? role ?? 'member')}.`,
				`Send them this link, which works once, until ${until}: ${invited.url}`,
			].join('\n'),
			data: originalOf(invited),
		};
	},
});

const invitations = listCommand({
	verb: 'invitations',
	summary: 'List the invitations of the organization',
	examples: ['member invitations'],
	name: 'invitations',
	line: 'member invitations',
	columns: ['email', 'role', 'state', 'expires_at', 'invited_by'],
	empty: 'No invitations in this organization. Invite someone: `member invite <email>`',
	within: ['org'],
	request: (client, {params, query: {project: _, ...query}}, signal) => client.listInvitations({params, query}, signal),
});

const uninvite = command({
	name: 'uninvite',
	summary: 'Revoke a pending invitation; its link stops working',
	args: z.object({email: z.string()}),
	positional: ['email'],
	describe: {email: 'the invited address'},
	examples: ['member uninvite grace@acme.example'],
	whileRunning: true,

	async run({email}, {program, signal}) {
		const {client, scope} = await program.servers.open();
		const {org} = await scope('org');
		const {items = []} = await client.listInvitations({params: {org}, query: {email}}, signal);
		const pending = items.find(({state}) => state === 'pending');
		if (!pending?.id) {
			throw new AppError('not-found', `“${email}” has no pending invitation to ${org}.`, {
				hint: 'See all: `member invitations`',
			});
		}

		const revoked = await client.revokeInvitation({params: {org, invitationId: pending.id}}, signal);
		return {kind: 'text', text: `Revoked the invitation of ${email} to ${org}.`, data: originalOf(revoked)};
	},
});

function articled(name: string): string {
	return `${/^[ao]/.test(name) ? 'an' : 'a'} ${name}`;
}

/** Returns the id of a member by e-mail address. Throws `AppError("not-found")` if the organization has none of that address. */
async function findUserId(
	client: Client,
	{org, email}: {readonly org: string; readonly email: string},
	signal: AbortSignal,
): Promise<string> {
	const {items = []} = await client.listMembers({params: {org}, query: {email}}, signal);
	const [member] = items;
	if (!member?.user_id) {
		throw new AppError('not-found', `“${email}” is not a member of ${org}.`, {hint: 'See all: `member list`'});
	}

	return member.user_id;
}

export default noun({
	name: 'member',
	summary: 'Members of an organization',
	verbs: [list, add, role, remove, invite, invitations, uninvite],
});
