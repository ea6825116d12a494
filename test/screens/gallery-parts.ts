import type {ApprovalQuestion} from '../../src/agent/approval/approval.ts';
import type {JudgedFile} from '../../src/agent/project/project.ts';
import {questionFor, trustDrawing} from '../../src/command/views/project/trust-view.ts';
import type {FileChange} from '../../src/core/session/event.ts';
import {approvalQuestions} from '../../src/ui/approvals/approval-questions.ts';
import type {Panel} from '../../src/ui/panels/panels.ts';

/** Returns the question that the app asks about a request. */
async function questionAbout(request: Pick<ApprovalQuestion, 'act' | 'summary' | 'verdict' | 'facts' | 'exactChange'>) {
	let panel: Panel | undefined;
	const decide = approvalQuestions({
		async inquire(inquiry) {
			// Long ago, so that keys answer it at once.
			panel = {kind: 'confirm', ...inquiry, askedAt: -10_000};
			return undefined;
		},
		edit: async () => undefined,
		workspace: () => '/home/ada/shop',
		hide: text => text,
	});
	await decide({id: 'c1', subject: '', hash: '', ...request}, new AbortController().signal);
	return panel;
}

/** Returns the question whether a file may be changed. */
export function editQuestion(change: FileChange): Promise<Panel | undefined> {
	const act = {kind: 'edit', path: change.path} as const;
	return questionAbout({
		act,
		summary: `Change ${change.path}?`,
		exactChange: change,
		verdict: {effect: 'ask', suggestions: []},
	});
}

/** Returns the question whether a command may run. */
export function commandQuestion(): Promise<Panel | undefined> {
	return questionAbout({
		act: {
			kind: 'command',
			command: 'npm install stripe --save-exact',
			folder: '/home/ada/shop',
			containment: 'sandbox',
		},
		summary: 'Run npm install stripe --save-exact?',
		facts: [['Sandbox', 'with network, writes only in this folder']],
		verdict: {effect: 'ask', why: 'may change package.json', suggestions: ['run_command(npm install *)']},
	});
}

const read = {hash: '', real: '', text: '', isCut: false, standing: 'new'} as const;
const projectFiles: readonly JudgedFile[] = [
	{...read, path: 'AGENTS.md', kind: 'instructions', sizeBytes: 1840},
	{
		...{...read, path: '.service/settings.json', kind: 'settings', sizeBytes: 312},
		settings: {
			hooks: [{event: 'after-tool', tool: 'edit_file', command: 'npx biome check --write src', timeoutSec: 30}],
			deny: ['run_command(git push *)'],
			...{fields: {}, ignored: []},
		},
	},
];

/** Returns the question whether the files of a project may tell the agent how to work. */
export function trustQuestion(): Panel {
	return {
		kind: 'confirm',
		question: questionFor(projectFiles),
		subject: trustDrawing(projectFiles, {root: '/home/ada/shop'}, '~/shop'),
		answers: [{key: 'y', label: 'Trust', value: 'yes'}],
		askedAt: -10_000,
	};
}
