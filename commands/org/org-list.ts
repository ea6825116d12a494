import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {pageFlags, pageHelp, pageQuery} from '../../src/command/paging.ts';
import {platformList} from '../../src/command/views/platform-list.ts';

export default command({
	name: 'list',
	summary: 'List the organizations that you belong to',
	args: z.object(pageFlags),
	describe: pageHelp,
	examples: ['org list'],
	whileRunning: true,

	async run(flags, context) {
		const session = await context.platform.open();
		const asked = session.client.listOrganizations({query: pageQuery(flags)}, context.signal);
		return await platformList(context, session, asked, {
			name: 'organizations',
			kind: 'org',
			line: 'org list',
			columns: ['slug', 'name', 'role', 'description', 'created_at'],
			empty: "You don't belong to an organization. Ask an owner to add you.",
			flags,
		});
	},
});
