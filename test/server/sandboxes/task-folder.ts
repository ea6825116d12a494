import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {TestServer} from '../harness.ts';

/** Adds a public task to a test server: the fields of its `task.yaml` as JSON, which is YAML, and its files. */
export async function addTask(
	{folder}: Pick<TestServer, 'folder'>,
	name: string,
	fields: Readonly<Record<string, unknown>>,
	files: Readonly<Record<string, string>> = {},
): Promise<void> {
	const tasks = join(folder, 'tasks', name);
	await mkdir(tasks, {recursive: true});
	const task = {name, version: '1.0.0', public: true, command: ['node', 'main.mjs'], ...fields};
	for (const [path, text] of Object.entries({'task.yaml': JSON.stringify(task), ...files})) {
		await writeFile(join(tasks, path), text);
	}
}

/** A program that listens on its port and logs requests. */
export const listener =
	'import {createServer} from "node:http"; createServer((request, response) => { console.log("asked", request.url); response.end("ok"); })' +
	'.listen(Number(process.env.PORT), "127.0.0.1", () => console.log("listens"));';
