import {formatMegabytes} from '../../containment/containment.ts';
import type {DatabaseTransaction} from '../database/tables.ts';
import {reject} from '../kit/http-error.ts';
import type {Task} from '../tasks/task.ts';

/** What all sandboxes of a machine may have together, of whatever organization; undefined for no limit. */
export type MachineRoom = {
	readonly sandboxes?: number | undefined;
	readonly memoryBytes?: number | undefined;
};

/** The memory limit of a sandbox whose task names none. */
const defaultMemoryBytes = 4 * 1024 ** 3;

/** Returns the memory limit of a task's sandbox. */
export function memoryFor({memory_mb: megabytes}: Pick<Task, 'memory_mb'>): number {
	return megabytes === undefined ? defaultMemoryBytes : megabytes * 1024 * 1024;
}

type Wanted = {
	readonly machine: string;
	/** The memory limit of the sandbox that is about to start. */
	readonly memoryBytes: number;
	/** A paused sandbox that continues, and is counted already. */
	readonly except?: string | undefined;
};

/**
 * Rejects (409) a sandbox that the machine has no room for. Locks the row of the machine until the transaction ends, so that
 * two organizations don't get the same room.
 */
export async function assertRoom(
	transaction: DatabaseTransaction,
	room: MachineRoom,
	{machine, memoryBytes, except = ''}: Wanted,
): Promise<void> {
	const {sandboxes: maxSandboxes, memoryBytes: maxMemory} = room;
	if (maxSandboxes === undefined && maxMemory === undefined) {
		return;
	}

	await transaction
		.updateTable('machines')
		.set(({ref}) => ({seen_at: ref('seen_at')}))
		.where('id', '=', machine)
		.execute();
	const used = await transaction
		.selectFrom('sandboxes')
		.select(({fn}) => [fn.countAll<number>().as('count'), fn.sum<number>('memory_bytes').as('memory')])
		.where('machine', '=', machine)
		.where('state', '!=', 'killed')
		.where('id', '!=', except)
		.executeTakeFirstOrThrow();
	const [count, memory] = [Number(used.count), Number(used.memory ?? 0)];
	if (maxSandboxes !== undefined && count >= maxSandboxes) {
		rejectFull(`runs ${count} of ${maxSandboxes} sandboxes, of all organizations`);
	}

	if (maxMemory !== undefined && memory + memoryBytes > maxMemory) {
		rejectFull(
			`has ${formatMegabytes(Math.max(0, maxMemory - memory))} of memory left for sandboxes, and this one needs ${formatMegabytes(memoryBytes)}`,
		);
	}
}

function rejectFull(why: string): never {
	reject(409, `This server ${why}. Wait for a sandbox to end, or ask its administrator for more.`, {
		type: 'sandbox_provider_rate_limit_error',
	});
}
