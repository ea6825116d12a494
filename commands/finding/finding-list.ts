import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {emptyPage, pageFlags, pageHelp, pageNotes, pageQuery} from '../../src/command/paging.ts';
import {originalOf} from '../../src/contract/lenient.ts';
import {findingSortKeys} from '../../src/contract/resources/finding.ts';

const sortHelp = `one of ${findingSortKeys.join(', ')}`;

export default command({
	name: 'list',
	summary: 'List the findings of the project, newest first or sorted',
	args: z.object({
		sort: z.optional(z.enum(findingSortKeys, `must be ${sortHelp}`)),
		asc: z.optional(z.boolean()),
		...pageFlags,
	}),
	describe: {sort: sortHelp, asc: 'the smallest or oldest first', ...pageHelp},
	examples: ['finding list --sort severity', 'finding list --project parser --sort score --page 2'],
	whileRunning: true,

	async run(
		{sort, asc, ...pages},
		{
			program: {
				servers: {platform},
			},
			signal,
		},
	) {
		const {findingTable} = await import('../../src/command/views/finding/finding-table.ts');
		const {client, scope} = await platform.open();
		const params = await scope('org', 'workspace', 'project');
		const query = {...(sort && {sort_by: sort}), ...(asc && {sort_dir: 'asc' as const}), ...pageQuery(pages)};
		const answer = await client.listFindings({params, query}, signal);
		const findings = answer.findings ?? [];
		const line = ['finding list', ...(sort ? [`--sort ${sort}`] : []), ...(asc ? ['--asc'] : [])].join(' ');
		return findingTable(findings, {
			empty: emptyPage('findings', pages, 'In another project: `finding list --project <slug>`'),
			notes: pageNotes(line, pages, findings.length),
			data: originalOf(answer),
		});
	},
});
