import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {emptyPage, pageFlags, pageHelp, pageNotes, pageQuery} from '../src/command/list-command.ts';
import {originalOf} from '../src/contract/lenient.ts';
import {findingSortKeys} from '../src/contract/resources/finding.ts';

const sortHelp = `one of ${findingSortKeys.join(', ')}`;

const list = command({
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

	async run({sort, asc, ...pages}, {program, signal}) {
		const {findingTable} = await import('../src/command/views/finding/finding-view.ts');
		const {client, scope} = await program.servers.open();
		const params = await scope('org', 'workspace', 'project');
		const query = {...(sort && {sort_by: sort}), ...(asc && {sort_dir: 'asc' as const}), ...pageQuery(pages)};
		const answer = await client.listFindings({params, query}, signal);
		const findings = answer.findings ?? [];
		const line = ['finding list', ...(sort ? [`--sort ${sort}`] : []), ...(asc ? ['--asc'] : [])].join(' ');
		return findingTable(findings, {
			empty: emptyPage('findings', pages, 'In another project: `finding list --project <slug>`'),
			notes: pageNotes(line, pages, {shown: findings.length, next: answer.next_cursor}),
			data: originalOf(answer),
		});
	},
});

const show = command({
	name: 'show',
	summary: 'Show a finding with its scores, trials and metrics',
	args: z.object({finding: z.string(), full: z.optional(z.boolean())}),
	positional: ['finding'],
	completes: {finding: 'finding'},
	describe: {finding: 'id of the finding, or a unique prefix', full: 'show long texts and all trials'},
	examples: ['finding show 6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11'],
	whileRunning: true,

	async run({finding, full = false}, {program, signal}) {
		const {findingView} = await import('../src/command/views/finding/finding-view.ts');
		const {client, scope} = await program.servers.open();
		const params = {...(await scope('org', 'workspace')), findingId: finding};
		return findingView(await client.getFinding({params}, signal), {full});
	},
});

export default noun({name: 'finding', summary: 'Findings of adversarial assessments', verbs: [list, show]});
