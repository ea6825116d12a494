import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {listCommand} from '../src/command/list-command.ts';
import {looseFields} from '../src/command/render/loose-table.ts';
import {originalOf} from '../src/contract/lenient.ts';
import {AppError} from '../src/core/error.ts';
import {isJsonObject} from '../src/core/json.ts';

const list = listCommand({
	summary: 'List the organizations that you belong to',
	examples: ['org list'],
	name: 'organizations',
	kind: 'org',
	line: 'org list',
	columns: ['slug', 'name', 'role', 'description', 'created_at'],
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

export default noun({name: 'org', summary: 'Organizations', verbs: [list, update]});
