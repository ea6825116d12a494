import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {createCommandSession} from '../../../../src/agent/tools/command/command-session.ts';
import {createJobOutput} from '../../../../src/agent/tools/job-output.ts';
import {createJobStop} from '../../../../src/agent/tools/job-stop.ts';
import {createRunCommand} from '../../../../src/agent/tools/run-command.ts';
import type {JsonObject} from '../../../../src/core/json.ts';
import type {Approval, ApprovalAnswer} from '../../../../src/core/session/approval.ts';
import type {Tool, ToolContext} from '../../../../src/core/session/tool.ts';
import {makeWorkspace} from '../workspace.ts';

type Options = {
	readonly files?: Parameters<typeof makeWorkspace>[0];
	/** False to run commands as on a machine without bubblewrap. */
	readonly hasSandbox?: boolean;
	readonly maxProcesses?: number;
	/** By default commands are allowed, but not outside of what contained the first one. */
	readonly answer?: (request: Approval) => ApprovalAnswer;
};

/** Creates a workspace with the tools that run commands in it. What they left running ends after the test. */
export async function openCommands({files, answer, maxProcesses, hasSandbox = true}: Options = {}) {
	const {root, workspace, stateFolder, context: base} = await makeWorkspace(files);
	const home = join(root, 'home');
	await mkdir(home);
	const places = {stateFolder, homeFolder: home};
	const session = createCommandSession({
		places,
		...(maxProcesses !== undefined && {maxProcesses}),
		...(!hasSandbox && {
			find: async () => ({kind: 'none', why: "bubblewrap isn't installed (apt install bubblewrap)."}),
		}),
	});
	onTestFinished(session.end);
	const asked: Approval[] = [];
	const shown: string[] = [];
	const notices: string[] = [];
	const context: ToolContext = {
		...base,
		onOutput: text => shown.push(text),
		onNotice: text => notices.push(text),
		async approve(request) {
			asked.push(request);
			const [first, last] = [asked[0]?.act, request.act].map(act => act?.kind === 'command' && act.containment);
			return answer?.(request) ?? {allowed: first === last};
		},
	};
	/** Returns the result of a call, whether it failed or not. */
	const call = async (tool: Tool, args: JsonObject, given = context) =>
		tool.run(args, given).catch((error: Error) => error.message);
	const [runCommand, jobOutput, jobStop] = [
		createRunCommand(session),
		createJobOutput(session),
		createJobStop(session),
	];
	return {
		...{root, home, workspace, stateFolder, places, session, context, asked, shown, notices},
		path: (name: string) => join(workspace, name),
		/** Runs a command, which is given all the time that the model could give it. */
		run: (command: string, args: JsonObject = {}, given = context) =>
			call(runCommand, {command, timeout_sec: 600, ...args}, given),
		output: (job: string, args: JsonObject = {}) => call(jobOutput, {job, ...args}),
		stop: (job: string) => call(jobStop, {job}),
	};
}
