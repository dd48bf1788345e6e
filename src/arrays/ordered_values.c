/*
 * ordered_values.c
 *	  See ordered_values.h.
 *
 * Slots of a page are in order.  A slot of a leaf is for a value and its equals; one of another page is for the page
 * below it, and its key parts that from the one before.  The first slot of such a page needs no key and has none.
 */
#include "postgres.h"

#include "utils/datum.h"

#include "arrays/ordered_values.h"

/* A page takes 1 kB. */
#define PAGE_SLOTS 42

/* Entries that are allocated at once. */
#define BLOCK_ENTRIES 64

/* A value.  Equal ones make a ring. */
typedef struct Entry
{
	Datum		value;
	struct Entry *next;			/* the next one of the ring, or of the free entries */
} Entry;

typedef struct TreeSlot
{
	uint64		key;			/* the code of a key, or the Datum of another value */
	uint32		size;			/* values at or below it */
	uint32		most;			/* the greatest number of equal ones among them */
	union
	{
		struct TreePage *page;
		Entry	   *newest;		/* in a leaf; its next is the oldest */
	}			below;
} TreeSlot;

typedef struct TreePage
{
	uint32		nslots;
	bool		is_leaf;
	TreeSlot	slots[PAGE_SLOTS];
} TreePage;

struct OrderedValues
{
	MemoryContext context;
	ElementType *element;
	ComparatorSort *comparator; /* NULL for keys */
	bool		values_leave;
	uint32		count;
	uint32		ndistinct;
	uint32		last_count;		/* of the values that equal the one added last */
	TreePage   *root;
	Entry	   *free_entries;
};

static TreePage *
make_page(const OrderedValues *set, bool is_leaf)
{
	TreePage   *page = MemoryContextAlloc(set->context, sizeof(TreePage));

	page->nslots = 0;
	page->is_leaf = is_leaf;
	return page;
}

OrderedValues *
gpusort_ordered_create(MemoryContext context, ElementType *element, Oid collation, bool values_leave)
{
	OrderedValues *set = MemoryContextAllocZero(context, sizeof(OrderedValues));

	set->context = context;
	set->element = element;
	set->values_leave = values_leave;
	if (!element->is_key)
		set->comparator = gpusort_element_comparator(element, collation, false);
	set->root = make_page(set, true);
	return set;
}

/* Takes an entry that is not in use. */
static Entry *
take_entry(OrderedValues *set)
{
	Entry	   *entry = set->free_entries;

	if (entry == NULL)
	{
		entry = MemoryContextAllocZero(set->context, BLOCK_ENTRIES * sizeof(Entry));
		for (int i = 0; i < BLOCK_ENTRIES - 1; i++)
			entry[i].next = &entry[i + 1];
	}
	set->free_entries = entry->next;
	return entry;
}

static bool
has_references(const OrderedValues *set)
{
	return set->comparator != NULL && !set->element->by_value;
}

static inline int
compare(const OrderedValues *set, uint64 key, uint64 other)
{
	if (set->comparator != NULL)
		return gpusort_comparator_compare(set->comparator, (Datum) key, (Datum) other);
	return (key > other) - (key < other);
}

static uint64
key_of(const OrderedValues *set, Datum value)
{
	return set->comparator != NULL ? (uint64) value : gpusort_element_code(set->element, value);
}

static Datum
copy_value(const OrderedValues *set, Datum value)
{
	MemoryContext caller;
	Datum		copy;

	if (set->element->by_value)
		return value;
	caller = MemoryContextSwitchTo(set->context);
	copy = set->element->length == -1 ? PointerGetDatum(PG_DETOAST_DATUM_COPY(value)) :
		datumCopy(value, false, set->element->length);
	MemoryContextSwitchTo(caller);
	return copy;
}

static inline Datum
oldest_value(const TreeSlot *slot)
{
	return slot->below.newest->next->value;
}

/* Appends a value to those of a slot.  Where no value leaves, the oldest is kept and the others are counted. */
static void
append_entry(OrderedValues *set, TreeSlot *slot, Datum value)
{
	Entry	   *entry;

	set->last_count = slot->size + 1;
	if (slot->size > 0 && !set->values_leave)
	{
		slot->most = ++slot->size;
		return;
	}
	entry = take_entry(set);
	entry->value = copy_value(set, value);
	if (slot->size > 0)
	{
		entry->next = slot->below.newest->next;
		slot->below.newest->next = entry;
	}
	else
	{
		entry->next = entry;
		slot->key = key_of(set, entry->value);
	}
	slot->below.newest = entry;
	slot->most = ++slot->size;
}

/* Removes the oldest value of a slot. */
static void
drop_entry(OrderedValues *set, TreeSlot *slot)
{
	Entry	   *oldest = slot->below.newest->next;

	if (!set->element->by_value)
		pfree(DatumGetPointer(oldest->value));
	slot->below.newest->next = oldest->next;
	oldest->next = set->free_entries;
	set->free_entries = oldest;
	slot->most = --slot->size;
	if (slot->size > 0)
		slot->key = key_of(set, oldest_value(slot));
}

/* How many slots of a page come before a key or have it. */
static uint32
slots_up_to(const OrderedValues *set, const TreePage *page, uint64 key)
{
	uint32		low = page->is_leaf ? 0 : 1;
	uint32		high = page->nslots;

	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;

		if (compare(set, page->slots[middle].key, key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static TreeSlot *
open_slot(TreePage *page, uint32 number)
{
	TreeSlot   *slot = &page->slots[number];

	memmove(slot + 1, slot, (page->nslots - number) * sizeof(TreeSlot));
	page->nslots++;
	memset(slot, 0, sizeof(TreeSlot));
	return slot;
}

static void
close_slot(TreePage *page, uint32 number)
{
	page->nslots--;
	memmove(&page->slots[number], &page->slots[number + 1], (page->nslots - number) * sizeof(TreeSlot));
}

/* Counts what is below a slot. */
static void
count_below(TreeSlot *slot)
{
	const TreePage *page = slot->below.page;

	slot->size = slot->most = 0;
	for (uint32 i = 0; i < page->nslots; i++)
	{
		slot->size += page->slots[i].size;
		slot->most = Max(slot->most, page->slots[i].most);
	}
}

/* Moves the second half of a page to a new one, for which a slot is opened above, behind that of the page. */
static void
split_page(OrderedValues *set, TreePage *above, uint32 number)
{
	TreePage   *page = above->slots[number].below.page;
	TreePage   *to = make_page(set, page->is_leaf);
	TreeSlot   *slot = open_slot(above, number + 1);

	page->nslots = PAGE_SLOTS / 2;
	to->nslots = PAGE_SLOTS - page->nslots;
	memcpy(to->slots, &page->slots[page->nslots], to->nslots * sizeof(TreeSlot));
	slot->key = page->is_leaf && has_references(set) ? (uint64) copy_value(set, (Datum) to->slots[0].key) : to->slots[0].key;
	slot->below.page = to;
	count_below(slot);
	count_below(&above->slots[number]);
}

/* Adds a value to a page or below it.  Afterwards the page may be full. */
static void
add(OrderedValues *set, TreePage *page, uint64 key, Datum value)
{
	uint32		number = slots_up_to(set, page, key);
	TreeSlot   *slot = &page->slots[number > 0 ? number - 1 : 0];

	if (page->is_leaf)
	{
		if (number == 0 || compare(set, slot->key, key) != 0)
		{
			slot = open_slot(page, number);
			set->ndistinct++;
		}
		append_entry(set, slot, value);
		return;
	}
	add(set, slot->below.page, key, value);
	slot->size++;
	slot->most = Max(slot->most, set->last_count);
	if (slot->below.page->nslots == PAGE_SLOTS)
		split_page(set, page, number - 1);
}

void
gpusort_ordered_add(OrderedValues *set, Datum value)
{
	if (set->count == PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a window frame has more than %d values", PG_INT32_MAX)));
	add(set, set->root, key_of(set, value), value);
	set->count++;
	if (set->root->nslots == PAGE_SLOTS)
	{
		TreePage   *above = make_page(set, false);

		open_slot(above, 0)->below.page = set->root;
		split_page(set, above, 0);
		set->root = above;
	}
}

/* Closes the slot of a page below that has become empty.  Keys of slots that are not of leaves are their own. */
static void
close_empty(OrderedValues *set, TreePage *page, uint32 number)
{
	pfree(page->slots[number].below.page);
	if (has_references(set) && page->nslots > 1)
		pfree(DatumGetPointer((Datum) page->slots[Max(number, 1)].key));
	close_slot(page, number);
}

/* Removes a value from a page or below it.  Afterwards the page may be empty. */
static bool
remove_oldest(OrderedValues *set, TreePage *page, uint64 key)
{
	uint32		number = slots_up_to(set, page, key);
	TreeSlot   *slot = &page->slots[number > 0 ? number - 1 : 0];

	if (page->is_leaf)
	{
		if (number == 0 || compare(set, slot->key, key) != 0)
			return false;
		drop_entry(set, slot);
		if (slot->size == 0)
		{
			close_slot(page, number - 1);
			set->ndistinct--;
		}
		return true;
	}
	if (!remove_oldest(set, slot->below.page, key))
		return false;
	if (slot->below.page->nslots == 0)
		close_empty(set, page, number - 1);
	else if (slot->most > 1)
		count_below(slot);
	else
		slot->size--;
	return true;
}

bool
gpusort_ordered_remove(OrderedValues *set, Datum value)
{
	Assert(set->values_leave);
	if (!remove_oldest(set, set->root, key_of(set, value)))
		return false;
	set->count--;
	while (!set->root->is_leaf && set->root->nslots == 1)
	{
		TreePage   *below = set->root->slots[0].below.page;

		pfree(set->root);
		set->root = below;
	}
	return true;
}

uint64
gpusort_ordered_count(const OrderedValues *set)
{
	return set->count;
}

uint64
gpusort_ordered_count_distinct(const OrderedValues *set)
{
	return set->ndistinct;
}

Datum
gpusort_ordered_at(const OrderedValues *set, uint64 rank)
{
	const TreePage *page = set->root;

	for (;;)
	{
		const TreeSlot *slot = page->slots;

		for (; rank >= slot->size; slot++)
			rank -= slot->size;
		if (page->is_leaf)
			return oldest_value(slot);
		page = slot->below.page;
	}
}

Datum
gpusort_ordered_mode(const OrderedValues *set)
{
	const TreePage *page = set->root;
	TreeSlot	all = {.below.page = set->root};

	count_below(&all);
	for (;;)
	{
		const TreeSlot *slot = page->slots;

		while (slot->most < all.most)
			slot++;
		if (page->is_leaf)
			return oldest_value(slot);
		page = slot->below.page;
	}
}
