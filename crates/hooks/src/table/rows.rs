//! How the rows of the event table are read: each column by its name, and nothing that is no column.

/// Puts a column of a row of the event table into an [`EventRow`](crate::EventRow), by its name.
///
/// ```
/// # use tau_hooks::table::Delivery;
/// # struct Row { delivery: Delivery }
/// # let mut row = Row { delivery: Delivery::Awaited };
/// tau_hooks::event_column!(row, MessageUpdate, delivery: Queued);
/// # assert_eq!(row.delivery, Delivery::Queued);
/// ```
///
/// A column that does not exist is an error, as is a value that its column does not have:
///
/// ```compile_fail
/// # use tau_hooks::table::Delivery;
/// # struct Row { delivery: Delivery }
/// # let mut row = Row { delivery: Delivery::Awaited };
/// tau_hooks::event_column!(row, MessageUpdate, delivry: Queued);
/// # assert_eq!(row.delivery, Delivery::Queued);
/// ```
///
/// ```compile_fail,E0599
/// # use tau_hooks::table::Delivery;
/// # struct Row { delivery: Delivery }
/// # let mut row = Row { delivery: Delivery::Awaited };
/// tau_hooks::event_column!(row, MessageUpdate, delivery: Queud);
/// # assert_eq!(row.delivery, Delivery::Queued);
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! event_column {
    ($row:ident, $event:ident, delivery: $delivery:ident) => {
        $row.delivery = $crate::table::Delivery::$delivery;
    };
    ($row:ident, $event:ident, nesting: $nesting:ident) => {
        $row.nesting = $crate::table::Nesting::$nesting;
    };
    ($row:ident, $event:ident, in_place: [$($field:literal),+]) => {
        assert!($row.fold.changes_payload(), "what handlers change in place would be dropped by the fold of the row");
        $row.in_place = &[$($field),+];
        $row.edit = Some($crate::table::edit::<$event>);
    };
    ($row:ident, $event:ident, returned: $returned:ident) => {
        $row.returned = $crate::table::Returned::$returned;
    };
    ($row:ident, $event:ident, render: Late) => {
        $row.render = $crate::table::Render::Late($crate::table::render::take_apart::<<$event as $crate::table::Event>::Payload>);
    };
    ($row:ident, $event:ident, render: Messages) => {
        $row.render = $crate::table::Render::Messages($crate::table::render::messages_of::<<$event as $crate::table::Event>::Payload>);
    };
    ($row:ident, $event:ident, occasion: FromPayload) => {
        $row.occasion = Some($crate::occasion::occasion_of::<<$event as $crate::table::Event>::Payload>);
    };
    ($row:ident, $event:ident, about: $about:ident) => {
        $row.about = $crate::table::About::$about;
    };
    ($row:ident, $event:ident, signal: Shown) => {
        $row.signal = true;
    };
    ($row:ident, $event:ident, on_cut_off: Withhold) => {
        $row.withholds = true;
    };
    ($row:ident, $event:ident, inherited: $inherited:ident) => {
        $row.inherited = $crate::table::Inherited::$inherited;
    };
    ($row:ident, $event:ident, live: [$($field:literal),+]) => {
        $row.live = &[$($field),+];
        $row.with_live = $crate::table::with_live::<$event>;
    };
    ($row:ident, $event:ident, pending: $feature:literal) => {
        $row.fires = $crate::table::Fires::With($feature);
    };
    ($row:ident, $event:ident, $column:ident: $value:tt) => {
        compile_error!(concat!(
            "unknown column `", stringify!($column), ": ", stringify!($value), "` in the row of `", stringify!($event), "`"
        ));
    };
}

/// Makes the event table of its rows: [`EventId`](crate::events::EventId), [`TABLE`](crate::events::TABLE) and a type for
/// each event.
macro_rules! events {
    ($(
        #[doc = $doc:literal]
        $(#[doc = $more:literal])*
        $event:ident = $name:literal $(| $projected:literal)*:
        $payload:ty => $output:ty;
        fold: $fold:ident, on_failure: $failure:ident, deadline: $deadline:ident, since: $since:literal
        $(, $column:ident: $value:tt)*;
    )*) => {
        /// Names an event; the number is its place in [`TABLE`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum EventId { $(#[doc = $doc] $event,)* }

        /// All events.
        pub static TABLE: &[$crate::table::EventRow] = &[$({
            let mut row = $crate::table::EventRow::plain::<$event>($name, $crate::table::fold::$fold::<$event>());
            row.projected = &[$($projected),*];
            row.failure = $crate::table::Failure::$failure;
            row.deadline = $crate::table::Deadline::$deadline;
            row.since = $since;
            row.doc = concat!($doc $(, $more)*);
            $($crate::event_column!(row, $event, $column: $value);)*
            row
        },)*];

        /// Does something with every event, in the order of the table.
        #[cfg(feature = "samples")]
        pub async fn visit_all(visitor: &mut impl $crate::payload::EventVisitor) {
            $(visitor.visit::<$event>(<$payload as $crate::payload::Sample>::sample()).await;)*
        }

        $(
            #[doc = $doc]
            #[derive(Debug, Clone, Copy)]
            pub struct $event;

            impl $crate::table::Event for $event {
                const ID: EventId = EventId::$event;
                type Payload = $payload;
                type Output = $output;
            }

            // A column that is given twice does not compile.
            const _: () = {
                #[expect(dead_code, reason = "only its fields are compared")]
                struct Columns { $($column: (),)* }
            };
        )*
    };
}

pub(crate) use events;
