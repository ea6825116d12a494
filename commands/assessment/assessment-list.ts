import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {emptyPage, pageFlags, pageHelp, pageNotes, pageQuery} from '../../src/command/paging.ts';
import {looseTable} from '../../src/command/render/loose-table.ts';
import {originalOf} from '../../src/contract/lenient.ts';
import {isJsonObject} from '../../src/core/json.ts';

export default command({
	name: 'list',
	summary: 'List the assessments of the workspace, a page at a time',
	args: z.object(pageFlags),
	describe: pageHelp,
	examples: ['assessment list', 'assessment list --page 2 --page-size 20'],
	whileRunning: true,

	async run(
		flags,
		{
			program: {
				servers: {platform},
			},
			signal,
		},
	) {
		const {client, scope} = await platform.open();
		const answer = await client.listAssessments(
			{params: await scope('org', 'workspace'), query: pageQuery(flags)},
			signal,
		);
		const items = (answer.items ?? []).filter(isJsonObject);
		return looseTable({
			items,
			first: ['id', 'name', 'status', 'created_at'],
			empty: emptyPage('assessments', flags, 'In another workspace: `assessment list --workspace <slug>`'),
			opens: {
				words: ['assessment', 'attacks'],
				ids: items.map(({id}) => (typeof id === 'string' ? id : '')),
			},
			notes: pageNotes('assessment list', flags, items.length),
			data: originalOf(answer),
		});
	},
});
