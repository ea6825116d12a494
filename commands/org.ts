import * as z from 'zod/mini';
import {countArgument} from '../src/command/argument-types.ts';
import {command, noun} from '../src/command/command.ts';
import {listCommand} from '../src/command/list-command.ts';
import {looseFields} from '../src/command/render/loose-table.ts';
import {unchanged} from '../src/command/result.ts';
import {originalOf} from '../src/contract/lenient.ts';
import {AppError} from '../src/core/error.ts';
import {isJsonObject, type Json, type JsonObject} from '../src/core/json.ts';

const list = listCommand({
	summary: 'List the organizations that you belong to',
	examples: ['org list'],
	name: 'organizations',
	kind: 'org',
	line: 'org list',
	columns: ['slug', 'name', 'role', 'suspended_at', 'description', 'created_at'],
	empty: "You don't belong to an organization. Ask an owner to add you.",
	within: [],
	request: (client, {query}, signal) => client.listOrganizations({query}, signal),
});

const update = command({
	name: 'update',
	summary: 'Change the name or description of the organization',
	args: z.object({name: z.optional(z.string()), description: z.optional(z.string())}),
	describe: {name: 'its new name', description: "its new description; '' for none"},
	examples: ['org update --name "Acme Labs"', 'org update --org acme --description "Agents in production"'],
	whileRunning: true,

	async run({name, description}, {program, signal}) {
		if (name === undefined && description === undefined) {
			throw new AppError('usage', 'Nothing to change.', {hint: 'Pass --name, --description or both.'});
		}

		const {client, scope} = await program.servers.open();
		const params = await scope('org');
		const body = {...(name !== undefined && {name}), ...(description !== undefined && {description})};
		const data = originalOf(await client.updateOrganization({params, body}, signal));
		const fields = isJsonObject(data) ? looseFields(data) : [];
		return {
			kind: 'group',
			parts: [
				{kind: 'text', text: `Updated ${params.org}.`},
				...(fields.length > 0 ? [{kind: 'record', fields, data: null} as const] : []),
			],
			data,
		};
	},
});

/** A time as the server takes it. Throws AppError("usage") for a text that is none. */
const timeArgument = z.pipe(
	z.string().check(z.refine(text => !Number.isNaN(Date.parse(text)), 'must be a time, such as 2026-03-01')),
	z.transform<string, string>(text => new Date(text).toISOString()),
);

const audit = command({
	name: 'audit',
	summary: 'List what was administered, by whom and from where',
	args: z.object({
		since: z.optional(timeArgument),
		until: z.optional(timeArgument),
		limit: z.optional(countArgument(200)),
		cursor: z.optional(z.string()),
		wholeServer: z._default(z.boolean(), false),
		export: z._default(z.boolean(), false),
	}),
	describe: {
		since: 'only entries from this time on, such as 2026-03-01',
		until: 'only entries before this time',
		limit: 'entries to show, 1 to 200 (default 50)',
		cursor: 'where the last answer ended',
		wholeServer: 'of all organizations and the server, for its administrators',
		export: 'all entries as JSON, one a line',
	},
	examples: ['org audit', 'org audit --since 2026-03-01 --export > audit.jsonl'],
	whileRunning: true,

	async run({since, until, limit, cursor, wholeServer, export: isExport}, {program, signal}) {
		const {auditLines, auditTable} = await import('../src/command/views/audit-view.ts');
		const {client, scope} = await program.servers.open();
		const params = wholeServer ? undefined : await scope('org');
		const page = async (from: string | undefined, size: number | undefined) => {
			const query = {
				...(since !== undefined && {since}),
				...(until !== undefined && {until}),
				...(size !== undefined && {limit: size}),
				...(from !== undefined && {cursor: from}),
			};
			return params
				? await client.listAuditLog({params, query}, signal)
				: await client.listServerAuditLog({query}, signal);
		};
		if (!isExport) {
			const answer = await page(cursor, limit);
			const older = (next: string) =>
				wholeServer
					? `Older entries: \`org audit --whole-server --cursor ${next}\``
					: `Older entries: \`org audit --cursor ${next}\``;
			return auditTable(answer, older, originalOf(answer));
		}

		const entries: JsonObject[] = [];
		const seen = new Set<string>();
		for (let from = cursor; ; ) {
			const {items = [], next_cursor: next} = await page(from, 200);
			entries.push(...items.map(originalOf).filter(isJsonObject));
			// A cursor that came before would never end.
			if (!next || seen.has(next)) {
				return auditLines(entries);
			}

			seen.add(next);
			from = next;
		}
	},
});

const suspend = command({
	name: 'suspend',
	summary: 'Suspend an organization of the server',
	args: z.object({organization: z.string(), reason: z.optional(z.string()), yes: z.optional(z.boolean())}),
	positional: ['organization'],
	completes: {organization: 'org'},
	describe: {organization: 'its slug', reason: 'why, for the audit log', yes: 'skip the confirmation'},
	examples: ['org suspend acme --reason "Unpaid" --yes'],
	whileRunning: true,

	async run({organization, reason, yes}, {program, ui: {interact}, signal}) {
		const {client, server} = await program.servers.open();
		const question = `Suspend ${organization} on ${server}? Nobody has access to it, and its sandboxes stop.`;
		if (!yes && !(await interact.confirm(question))) {
			return unchanged;
		}

		const body = reason === undefined ? {} : {reason};
		const data = originalOf(await client.suspendOrganization({params: {organization}, body}, signal));
		return {kind: 'text', text: `Suspended ${organization}. Undo it: \`org reinstate ${organization}\``, data};
	},
});

const reinstate = command({
	name: 'reinstate',
	summary: 'Give an organization its access back',
	args: z.object({organization: z.string()}),
	positional: ['organization'],
	completes: {organization: 'org'},
	describe: {organization: 'its slug'},
	examples: ['org reinstate acme'],
	whileRunning: true,

	async run({organization}, {program, signal}) {
		const {client} = await program.servers.open();
		const data = originalOf(await client.reinstateOrganization({params: {organization}}, signal));
		return {kind: 'text', text: `Reinstated ${organization}.`, data};
	},
});

const remove = command({
	name: 'delete',
	summary: 'Delete an organization with all that belongs to it',
	args: z.object({organization: z.string(), yes: z.optional(z.boolean())}),
	positional: ['organization'],
	completes: {organization: 'org'},
	describe: {organization: 'its slug', yes: 'skip the confirmation'},
	examples: ['org delete acme --yes'],
	whileRunning: true,

	async run({organization, yes}, {program, ui: {interact}, signal}) {
		const {client, server} = await program.servers.open();
		const question = `Delete organization ${organization} on ${server}, with its workspaces, members, sandboxes and artifacts? It can't be restored.`;
		if (!yes && !(await interact.confirm(question))) {
			return unchanged;
		}

		const answer = await client.deleteOrganization({params: {org: organization}}, signal).catch(async error => {
			// Administrators of the server need not belong to it, and one that is suspended has no owner's access.
			if (!(error instanceof AppError) || !(error.code === 'auth' || error.code === 'not-found')) {
				throw error;
			}

			return await client.deleteServerOrganization({params: {organization}}, signal).catch(() => {
				throw error;
			});
		});
		const text = `Deleting ${organization}: nobody has access any more, and its data goes within minutes.`;
		const lost = lostMachinesOf(originalOf(answer));
		return {
			kind: 'text',
			text: [text, ...lost.map(waitsFor)].join('\n'),
			data: {organization, deleting: true, ...(lost.length > 0 && {lost_machines: lost})},
		};
	},
});

/** Returns the machines that a deletion waits for, as our server names them. */
function lostMachinesOf(answer: Json): readonly JsonObject[] {
	const machines = isJsonObject(answer) ? answer['lost_machines'] : undefined;
	return Array.isArray(machines) ? machines.filter(isJsonObject) : [];
}

function waitsFor({id, host, seen_at: seen}: JsonObject): string {
	return [
		`It waits for sandboxes on ${host || 'a machine'}, which was last seen at ${seen}. Start the server there, or if it is`,
		`gone for good, on a machine with the database: \`$ serve machine forget ${String(id).slice(0, 8)}\``,
	].join(' ');
}

const exportOrganization = command({
	name: 'export',
	summary: 'Write the spans of an organization, a line of JSON each',
	args: z.object({}),
	examples: ['org export > acme.ndjson'],
	where: 'shell',

	async run(_, {program, signal}) {
		const {exportOrganizationSpans} = await import('../src/command/views/span-export.ts');
		const {client, scope} = await program.servers.open();
		return {kind: 'stream', batches: await exportOrganizationSpans(client, await scope('org'), signal)};
	},
});

export default noun({
	name: 'org',
	summary: 'Organizations',
	verbs: [list, update, audit, suspend, reinstate, remove, exportOrganization],
});
