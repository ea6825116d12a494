import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import {emptyPage, pageFlags, pageHelp, pageNotes, pageQuery} from '../src/command/list-command.ts';
import {looseTable} from '../src/command/render/loose-table.ts';
import {originalOf} from '../src/contract/lenient.ts';
import {isJsonObject} from '../src/core/json.ts';

const list = command({
	name: 'list',
	summary: 'List the assessments of the workspace, a page at a time',
	args: z.object(pageFlags),
	describe: pageHelp,
	examples: ['assessment list', 'assessment list --page 2 --page-size 20'],
	whileRunning: true,

	async run(flags, {program, signal}) {
		const {client, scope} = await program.servers.open();
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
			notes: pageNotes('assessment list', flags, {shown: items.length, next: answer.next_cursor}),
			data: originalOf(answer),
		});
	},
});

const attacks = command({
	name: 'attacks',
	summary: 'List the attacks of an assessment with rates and scores',
	args: z.object({assessment: z.string()}),
	positional: ['assessment'],
	completes: {assessment: 'assessment'},
	describe: {assessment: 'id of the assessment, or a unique prefix'},
	examples: ['assessment attacks 6f1c0b0e-8f5e-4d5c-9c53-0a5f0c8f2b11'],
	whileRunning: true,

	async run({assessment}, {program, signal}) {
		const {attackTable} = await import('../src/command/views/finding/finding-view.ts');
		const {client, scope} = await program.servers.open();
		const params = {...(await scope('org', 'workspace')), assessmentId: assessment};
		return attackTable(await client.getAttackSpans({params}, signal));
	},
});

export default noun({name: 'assessment', summary: 'Adversarial assessments', verbs: [list, attacks]});
