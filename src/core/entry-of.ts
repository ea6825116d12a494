/** The record's own entry, never one that every object inherits: names come from people and from other programs. */
export function entryOf<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
	return Object.hasOwn(record, name) ? record[name] : undefined;
}
