import type {TaskInputs} from '../tasks/inputs.ts';
import type {ServiceAddress} from '../tasks/instruction.ts';
import {portVariable, type Task} from '../tasks/task.ts';
import type {Deadline, SandboxNeeds, SandboxProvider, SandboxSpec} from './provider.ts';

export type ServiceAddresses = Readonly<Record<string, ServiceAddress>>;

/** The workspace file that contains a task's inputs. */
const contextFile = '.task.json';

type PlanOptions = {
	readonly inputs: TaskInputs;
	readonly modelOverrides: Readonly<Record<string, string>>;
	/** Variables with secrets. */
	readonly secrets: Readonly<Record<string, string>>;
};

type SpecOptions = {
	readonly id: string;
	readonly organization: string;
	readonly deadline: Deadline;
	/** The UUID of a workspace that outlives the sandbox. */
	readonly workspace?: string;
};

/** A task with assigned ports. */
export type TaskPlan = {
	readonly needs: SandboxNeeds;
	/** The instruction with its placeholders, because the addresses of services are known later. */
	readonly instruction: string;
	readonly services: ServiceAddresses;
	/** Reads the files of the task. Throws AppError if they can't be used. */
	readonly specOf: (options: SpecOptions) => Promise<SandboxSpec>;
};

/** Assigns ports of a provider. Inputs reach programs only as data, in a JSON file. */
export async function planTask(
	{choosePort}: Pick<SandboxProvider, 'choosePort'>,
	task: Task,
	{inputs, modelOverrides, secrets}: PlanOptions,
): Promise<TaskPlan> {
	const services: Record<string, ServiceAddress> = {};
	const ports: Record<string, string> = {};
	for (const [index, [name, {path, protocol}]] of Object.entries(task.services).entries()) {
		const port = await choosePort(index);
		services[name] = {url: `${protocol}://127.0.0.1:${port}${path}`, port, protocol};
		ports[portVariable(task, name)] = String(port);
	}

	const context = {task: {name: task.name, version: task.version}, inputs, model_overrides: modelOverrides};
	const {image, network} = task;
	return {
		needs: {image, network},
		instruction: task.instruction,
		services,
		specOf: async options => ({
			...options,
			image,
			network,
			files: new Map([...(await task.readFiles()), [contextFile, JSON.stringify(context)]]),
			build: task.build.map((command, index) => ({name: `build step ${index + 1}`, command})),
			command: {name: 'command', command: task.command},
			environment: {...secrets, ...ports},
			ports: Object.values(services).map(({port}) => port),
			...(task.memory_mb && {limits: {memoryBytes: task.memory_mb * 1024 * 1024}}),
		}),
	};
}
