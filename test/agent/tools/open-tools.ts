import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {createEditFile} from '../../../src/agent/tools/edit-file.ts';
import {createReadFile} from '../../../src/agent/tools/read-file.ts';
import {createWriteFile} from '../../../src/agent/tools/write-file.ts';
import type {Approval} from '../../../src/core/session/approval.ts';
import type {FileChange} from '../../../src/core/session/event.ts';
import type {ToolContext} from '../../../src/core/session/tool.ts';
import {makeWorkspace} from './workspace.ts';

type Answer = boolean | ((request: Approval) => boolean | Promise<boolean>);

/** Creates a workspace with the tools that read and change its files. Every change is allowed by default. */
export async function openTools(files: Parameters<typeof makeWorkspace>[0] = {}, answer: Answer = true) {
	const {root, workspace, stateFolder, context: base} = await makeWorkspace(files);
	const asked: Approval[] = [];
	const changes: FileChange[] = [];
	const context: ToolContext = {
		...base,
		onChange: change => changes.push(change),
		async approve(request) {
			asked.push(request);
			return {allowed: typeof answer === 'function' ? await answer(request) : answer};
		},
	};
	const places = {stateFolder, homeFolder: join(root, 'home')};
	const [readFileTool, editFile, writeFileTool] = [createReadFile, createEditFile, createWriteFile].map(create =>
		create(places),
	);
	return {
		root,
		workspace,
		context,
		asked,
		changes,
		places,
		path: (name: string) => join(workspace, name),
		bytes: (name: string) => readFile(join(workspace, name)),
		text: (name: string) => readFile(join(workspace, name), 'utf8'),
		read: async (path: string, given = context) => readFileTool?.run({path}, given),
		edit: async (path: string, old_text: string, new_text: string, given = context) =>
			editFile?.run({path, edits: [{old_text, new_text}]}, given),
		write: async (path: string, content: string, given = context) => writeFileTool?.run({path, content}, given),
	};
}
