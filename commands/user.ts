import * as z from 'zod/mini';
import type {Client} from '../src/client/client.ts';
import {command, noun} from '../src/command/command.ts';
import {listCommand} from '../src/command/list-command.ts';
import {unchanged} from '../src/command/result.ts';
import {originalOf} from '../src/contract/lenient.ts';
import {AppError} from '../src/core/error.ts';

const list = listCommand({
	summary: 'List the users of the server',
	examples: ['user list'],
	name: 'users',
	kind: 'member',
	line: 'user list',
	columns: ['email', 'suspended_at', 'is_administrator', 'organizations', 'created_at', 'id'],
	empty: 'No users on this server. Add one: `member add <email>`',
	within: [],
	request: (client, {query: {project: _, ...query}}, signal) => client.listUsers({query}, signal),
});

const emailHelp = 'their e-mail address';

const suspend = command({
	name: 'suspend',
	summary: 'Suspend a user: their keys and logins end at once',
	args: z.object({email: z.string(), reason: z.optional(z.string()), yes: z.optional(z.boolean())}),
	positional: ['email'],
	completes: {email: 'member'},
	describe: {email: emailHelp, reason: 'why, for the audit log', yes: 'skip the confirmation'},
	examples: ['user suspend grace@acme.example --reason "Lost laptop" --yes'],
	whileRunning: true,

	async run({email, reason, yes}, {program, ui: {interact}, signal}) {
		const {client, server} = await program.servers.open();
		const userId = await findUserId(client, email, signal);
		const question = `Suspend ${email} on ${server}? Their keys and logins end at once, and their sandboxes stop.`;
		if (!yes && !(await interact.confirm(question))) {
			return unchanged;
		}

		const body = reason === undefined ? {} : {reason};
		const data = originalOf(await client.suspendUser({params: {userId}, body}, signal));
		return {kind: 'text', text: `Suspended ${email}. Undo it: \`user reinstate ${email}\``, data};
	},
});

const reinstate = command({
	name: 'reinstate',
	summary: 'Give a user their access back; they log in again',
	args: z.object({email: z.string()}),
	positional: ['email'],
	completes: {email: 'member'},
	describe: {email: emailHelp},
	examples: ['user reinstate grace@acme.example'],
	whileRunning: true,

	async run({email}, {program, signal}) {
		const {client} = await program.servers.open();
		const userId = await findUserId(client, email, signal);
		const data = originalOf(await client.reinstateUser({params: {userId}}, signal));
		return {kind: 'text', text: `Reinstated ${email}. Their API keys work again.`, data};
	},
});

/** Returns the id of a user by e-mail address. Throws `AppError("not-found")` if the server has none of that address. */
async function findUserId(client: Client, email: string, signal: AbortSignal): Promise<string> {
	const {items = []} = await client.listUsers({query: {email}}, signal);
	const [user] = items;
	if (!user?.id) {
		throw new AppError('not-found', `User not found: “${email}”.`, {hint: 'See all: `user list`'});
	}

	return user.id;
}

export default noun({
	name: 'user',
	summary: 'Users of the server, for its administrators',
	verbs: [list, suspend, reinstate],
});
