import {readFileSync} from 'node:fs';
import {posix} from 'node:path';
import {expect, test} from 'vitest';

/** The questions that readers ask first, each with the names that answer it, in the order to read them. */
const questions: Readonly<Record<string, readonly string[]>> = {
	'what happens on Esc?': [
		'src/ui/keys.ts#createKeyHandler',
		'src/ui/panels/panel.ts#cancels',
		'src/ui/completion-keys.ts#pressInCompletion',
		'src/ui/prompt/app-keys.ts#pressEscape',
		'src/ui/open-conversation.ts#openConversation',
		'src/session/conversation.ts#createRuns',
	],
	'where is a diff drawn?': [
		'src/ui/transcript/tool-lines.ts#linesBelow',
		'src/ui/transcript/diff-lines.ts#changedLines',
		'src/ui/transcript/block-detail.ts#detailLines',
		'src/command/approvals/approval-inquiry.ts#inquiryAbout',
		'src/ui/changes/review-view.ts#drawReview',
		'src/command/changes/diff-result.ts#unifiedLines',
	],
	'what does a token pass?': [
		'src/providers/chunks.ts#readChunks',
		'src/providers/read-answer.ts#readAnswer',
		'src/agent/model-turn.ts#takeTurn',
		'src/session/recorder.ts#createRecorder',
		'src/ui/transcript/transcript-progress.ts#createTranscriptProgress',
		'src/ui/screen/screen.ts#createScreen',
	],
	'who says whether a command may run?': [
		'src/agent/tools/run-command.ts#permitted',
		'src/agent/approval/approval.ts#createApprovals',
		'src/agent/approval/ruling.ts#ruleOn',
		'src/agent/policy/command/judge-command.ts#judgeCommand',
		'src/agent/policy/command/read-only.ts#whyNotReadOnly',
		'src/ui/approvals/approval-questions.ts#approvalQuestions',
	],
	'where does a cost come from?': [
		'src/providers/token-usage.ts#openaiUsage',
		'src/agent/request-usage.ts#createLedger',
		'src/platform/catalog-access.ts#createCatalogAccess',
		'src/core/catalog.ts#loadCatalog',
		'src/core/session/usage.ts#costOfMessage',
		'src/ui/status-line.tsx#usageParts',
	],
	'how does a log line reach the panel?': [
		'src/client/environment-logs.ts#environmentLogSource',
		'src/logs/tail.ts#tailLog',
		'src/logs/read-answer.ts#readAnswer',
		'src/ui/logs/followed-logs.ts#followLog',
		'src/ui/logs/followed-logs.ts#createFollowedLogs',
		'src/ui/logs/log-panel.ts#drawLogPanel',
	],
	'what is written before a message counts as saved?': [
		'src/session/recorder.ts#createRecorder',
		'src/storage/journal.ts#start',
		'src/storage/session-folder.ts#createSessionFolder',
		'src/storage/journal-writer.ts#createLineWriter',
		'src/storage/append-file.ts#openAppendFile',
		'src/storage/private-file.ts#syncFolder',
	],
	'how is a sandbox ended?': [
		'commands/env.ts#stop',
		'src/server/handlers/environments.ts#environmentHandlers',
		'src/server/sandboxes/environment-state.ts#endEnvironment',
		'src/server/sandboxes/local-provider.ts#createLocalProvider',
		'src/server/sandboxes/local-provider.ts#endProcesses',
		'src/containment/members.ts#endMembers',
	],
	'what is sent to the model?': [
		'src/session/start-run.ts#startAgent',
		'src/core/session/read-conversation.ts#toMessages',
		'src/agent/history.ts#createHistory',
		'src/agent/model-access.ts#createModelAccess',
		'src/agent/instructions.ts#instructions',
		'src/providers/chat/openai-chat-request.ts#chatBody',
	],
	'how is a session resumed?': [
		'src/session/resume-session.ts#createResume',
		'src/storage/session-access.ts#createSessionAccess',
		'src/storage/journal.ts#openJournal',
		'src/storage/journal-read.ts#readJournal',
		'src/core/session/reduce-transcript.ts#replayTranscript',
		'src/session/conversation.ts#createConversation',
	],
};

const importPattern = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g;
const fileOf = (place: string) => place.replace(/#.*/, '');

test.each(Object.entries(questions))('%s is answered in at most six files', (_question, places) => {
	expect(new Set(places.map(fileOf)).size).toBeLessThanOrEqual(6);
	for (const place of places) {
		const [path = '', name = ''] = place.split('#');
		const declared = new RegExp(`^(?:export )?(?:async )?(?:function\\*?|const|type) ${name}\\b`, 'm');
		expect(readFileSync(path, 'utf8'), place).toMatch(declared);
	}
});

test('no answer lists a file that has nothing to do with the others', () => {
	const imports = (path: string) =>
		[...readFileSync(path, 'utf8').matchAll(importPattern)].map(([, target = '']) =>
			posix.join(posix.dirname(path), target),
		);
	/** The files that a file imports, and those that they import. */
	const near = (path: string) => new Set([path, ...imports(path), ...imports(path).flatMap(imports)]);
	for (const places of Object.values(questions)) {
		const files = [...new Set(places.map(fileOf))];
		const around = new Map(files.map(path => [path, near(path)]));
		const isNear = (one: string, other: string) =>
			[...(around.get(one) ?? [])].some(path => around.get(other)?.has(path));
		expect(files.filter(path => !files.some(other => other !== path && isNear(path, other)))).toEqual([]);
	}
});
