/*
 * ordered_values.c
 *	  See ordered_values.h.
 *
 * Slots of a page are in order.  A slot of a leaf is for a value and its equals; one of another page is for the page
 * below it, and its key parts that from the one before.  The first slot of such a page needs no key and has none.
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/memutils.h"

#include "arrays/ordered_values.h"
#include "large_memory.h"

/* Stands for no page and no entry. */
#define NONE 0

#define PAGE_SLOTS 64

/* No tree is higher: each page that was split has half of its slots in use, until values are removed. */
#define MAX_HEIGHT 8

/* Places of the first allocation. */
#define FIRST_PLACES 64

/* A value.  Equal ones make a ring. */
typedef struct Entry
{
	Datum		value;
	uint32		next;			/* the next one of the ring, or of the free entries */
} Entry;

typedef struct TreeSlot
{
	uint64		key;			/* the code of a key, or the Datum of another value */
	uint32		size;			/* values at or below it */
	uint32		most;			/* the greatest number of equal ones among them */
	uint32		below;			/* the page; in a leaf the newest entry, whose next is the oldest */
} TreeSlot;

typedef struct TreePage
{
	uint32		nslots;
	bool		is_leaf;
	uint32		next_free;
	TreeSlot		slots[PAGE_SLOTS];
} TreePage;

struct OrderedValues
{
	MemoryContext context;
	ElementType *element;
	ComparatorSort *comparator; /* NULL for keys */
	bool		values_leave;
	uint32		root;
	uint32		count;
	uint32		ndistinct;
	uint32		last_count;		/* of the values that equal the one added last */
	TreePage	   *pages;
	uint32		pages_used;
	uint32		pages_allocated;
	uint32		free_pages;
	Entry	   *entries;
	uint32		entries_used;
	uint32		entries_allocated;
	uint32		free_entries;
};

/* Takes a page that is not in use.  There must be one. */
static uint32
take_page(OrderedValues *set, bool is_leaf)
{
	uint32		number = set->free_pages;

	if (number != NONE)
		set->free_pages = set->pages[number].next_free;
	else
		number = set->pages_used++;
	set->pages[number].nslots = 0;
	set->pages[number].is_leaf = is_leaf;
	return number;
}

static void
give_page(OrderedValues *set, uint32 number)
{
	set->pages[number].next_free = set->free_pages;
	set->free_pages = number;
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
	set->pages = MemoryContextAlloc(context, FIRST_PLACES * sizeof(TreePage));
	set->entries = MemoryContextAlloc(context, FIRST_PLACES * sizeof(Entry));
	set->pages_allocated = set->entries_allocated = FIRST_PLACES;
	set->pages_used = set->entries_used = NONE + 1;
	set->root = take_page(set, true);
	return set;
}

/* Makes sure that so many places can be used. */
static void *
reserve(MemoryContext context, void *places, Size size, uint64 wanted, uint32 *allocated)
{
	void	   *more;

	if (wanted <= *allocated)
		return places;
	more = gpusort_alloc_large(context, 2 * (Size) *allocated * size);
	gpusort_copy_bytes(more, places, *allocated * size);
	pfree(places);
	*allocated *= 2;
	return more;
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
oldest_value(const OrderedValues *set, const TreeSlot *slot)
{
	return set->entries[set->entries[slot->below].next].value;
}

/* Appends a value to those of a slot.  Where no value leaves, the oldest is kept and the others are counted. */
static void
append_entry(OrderedValues *set, TreeSlot *slot, Datum value)
{
	uint32		entry = set->free_entries;
	Datum		copy;

	set->last_count = slot->size + 1;
	if (slot->size > 0 && !set->values_leave)
	{
		slot->most = ++slot->size;
		return;
	}
	copy = copy_value(set, value);
	if (entry != NONE)
		set->free_entries = set->entries[entry].next;
	else
		entry = set->entries_used++;
	set->entries[entry] = (Entry) {.value = copy,.next = entry};
	if (slot->size > 0)
	{
		set->entries[entry].next = set->entries[slot->below].next;
		set->entries[slot->below].next = entry;
	}
	else
		slot->key = key_of(set, copy);
	slot->below = entry;
	slot->most = ++slot->size;
}

/* Removes the oldest value of a slot. */
static void
drop_entry(OrderedValues *set, TreeSlot *slot)
{
	uint32		oldest = set->entries[slot->below].next;

	if (!set->element->by_value)
		pfree(DatumGetPointer(set->entries[oldest].value));
	set->entries[slot->below].next = set->entries[oldest].next;
	set->entries[oldest].next = set->free_entries;
	set->free_entries = oldest;
	slot->most = --slot->size;
	if (slot->size > 0)
		slot->key = key_of(set, oldest_value(set, slot));
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
	TreeSlot	   *slot = &page->slots[number];

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
count_below(const OrderedValues *set, TreeSlot *slot)
{
	const TreePage *page = &set->pages[slot->below];

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
	TreePage	   *page = &set->pages[above->slots[number].below];
	uint32		sibling = take_page(set, page->is_leaf);
	TreePage	   *to = &set->pages[sibling];
	TreeSlot	   *slot = open_slot(above, number + 1);

	page->nslots = PAGE_SLOTS / 2;
	to->nslots = PAGE_SLOTS - page->nslots;
	memcpy(to->slots, &page->slots[page->nslots], to->nslots * sizeof(TreeSlot));
	slot->key = page->is_leaf && has_references(set) ? (uint64) copy_value(set, (Datum) to->slots[0].key) : to->slots[0].key;
	slot->below = sibling;
	count_below(set, slot);
	count_below(set, &above->slots[number]);
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
	add(set, &set->pages[slot->below], key, value);
	slot->size++;
	slot->most = Max(slot->most, set->last_count);
	if (set->pages[slot->below].nslots == PAGE_SLOTS)
		split_page(set, page, number - 1);
}

void
gpusort_ordered_add(OrderedValues *set, Datum value)
{
	if (set->count == PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a window frame has more than %d values", PG_INT32_MAX)));
	set->pages = reserve(set->context, set->pages, sizeof(TreePage), (uint64) set->pages_used + MAX_HEIGHT, &set->pages_allocated);
	set->entries = reserve(set->context, set->entries, sizeof(Entry), (uint64) set->entries_used + 1, &set->entries_allocated);
	add(set, &set->pages[set->root], key_of(set, value), value);
	set->count++;
	if (set->pages[set->root].nslots == PAGE_SLOTS)
	{
		uint32		above = take_page(set, false);

		open_slot(&set->pages[above], 0)->below = set->root;
		split_page(set, &set->pages[above], 0);
		set->root = above;
	}
}

/* Closes the slot of a page below that has become empty.  Keys of slots that are not of leaves are their own. */
static void
close_empty(OrderedValues *set, TreePage *page, uint32 number)
{
	give_page(set, page->slots[number].below);
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
	if (!remove_oldest(set, &set->pages[slot->below], key))
		return false;
	if (set->pages[slot->below].nslots == 0)
		close_empty(set, page, number - 1);
	else if (slot->most > 1)
		count_below(set, slot);
	else
		slot->size--;
	return true;
}

bool
gpusort_ordered_remove(OrderedValues *set, Datum value)
{
	Assert(set->values_leave);
	if (!remove_oldest(set, &set->pages[set->root], key_of(set, value)))
		return false;
	set->count--;
	while (!set->pages[set->root].is_leaf && set->pages[set->root].nslots == 1)
	{
		uint32		below = set->pages[set->root].slots[0].below;

		give_page(set, set->root);
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
	const TreePage *page = &set->pages[set->root];

	for (;;)
	{
		const TreeSlot *slot = page->slots;

		for (; rank >= slot->size; slot++)
			rank -= slot->size;
		if (page->is_leaf)
			return oldest_value(set, slot);
		page = &set->pages[slot->below];
	}
}

Datum
gpusort_ordered_mode(const OrderedValues *set)
{
	const TreePage *page = &set->pages[set->root];
	TreeSlot		all = {.below = set->root};

	count_below(set, &all);
	for (;;)
	{
		const TreeSlot *slot = page->slots;

		while (slot->most < all.most)
			slot++;
		if (page->is_leaf)
			return oldest_value(set, slot);
		page = &set->pages[slot->below];
	}
}
