/** Returns the record's own entry, never an inherited one: names come from users and other programs. */
export function entryOf<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
	return Object.hasOwn(record, name) ? record[name] : undefined;
}
