import type {TaskInputs} from '../tasks/inputs.ts';
import {renderInstruction, type ServiceAddress} from '../tasks/instruction.ts';
import {portVariable, type Task} from '../tasks/task.ts';
import {freePort} from './ports.ts';
import type {Deadline, SandboxSpec} from './provider.ts';

export type ServiceAddresses = Readonly<Record<string, ServiceAddress>>;

/** The workspace file that contains a task's inputs. */
const contextFile = '.task.json';

type PlanOptions = {
	readonly inputs: TaskInputs;
	readonly modelOverrides: Readonly<Record<string, string>>;
	/** Variables with secrets. */
	readonly secrets: Readonly<Record<string, string>>;
};

/** A task with assigned ports. */
export type TaskPlan = {
	readonly instruction: string;
	readonly services: ServiceAddresses;
	/** Reads the files of the task. Throws AppError if they can't be used. */
	readonly specOf: (id: string, deadline: Deadline, workspace?: string) => Promise<SandboxSpec>;
};

/** Assigns ports on this machine and fills the instruction. Inputs reach programs only as data, in a JSON file. */
export async function planTask(task: Task, {inputs, modelOverrides, secrets}: PlanOptions): Promise<TaskPlan> {
	const services: Record<string, ServiceAddress> = {};
	const ports: Record<string, string> = {};
	for (const [name, {path, protocol}] of Object.entries(task.services)) {
		const port = await freePort();
		services[name] = {url: `${protocol}://127.0.0.1:${port}${path}`, port, protocol};
		ports[portVariable(task, name)] = String(port);
	}

	const context = {task: {name: task.name, version: task.version}, inputs, model_overrides: modelOverrides};
	return {
		instruction: renderInstruction(task.instruction, {inputs, services}),
		services,
		specOf: async (id, deadline, workspace) => ({
			id,
			files: new Map([...(await task.readFiles()), [contextFile, JSON.stringify(context)]]),
			...(workspace && {workspace}),
			build: task.build.map((command, index) => ({name: `build step ${index + 1}`, command})),
			command: {name: 'command', command: task.command},
			environment: {...secrets, ...ports},
			ports: Object.values(services).map(({port}) => port),
			deadline,
			...(task.memory_mb && {limits: {memoryBytes: task.memory_mb * 1024 * 1024}}),
		}),
	};
}
