//! Access tokens.

use interlock_store::{NamespaceId, NewToken};

use crate::Home;

pub(crate) fn tokens_are_kept_and_revoked(home: &dyn Home) {
    let mut store = home.open();
    let new = |name: &str, namespace| NewToken {
        name: name.to_owned(),
        hash: [7; 32],
        hint: "xyz9".to_owned(),
        namespace,
        scopes: "read submit".to_owned(),
        created_ms: 12,
    };
    let everywhere = store.put_token(&new("ops", None)).unwrap();
    let made = new("shop", Some(NamespaceId(3)));
    let shop = store.put_token(&made).unwrap();
    assert_eq!((shop.id, &shop.made, shop.revoked_ms), (2, &made, None));
    drop(store);
    let mut store = home.open();
    assert_eq!(store.tokens().unwrap(), [everywhere.clone(), shop.clone()]);
    assert!(store.revoke_token(1, 99).unwrap());
    assert!(!store.revoke_token(1, 100).unwrap(), "it was already");
    assert!(!store.revoke_token(77, 100).unwrap());
    drop(store);
    let mut store = home.open();
    let tokens = store.tokens().unwrap();
    assert_eq!(tokens[0].revoked_ms, Some(99));
    assert_eq!(tokens[1], shop);
    assert_eq!(store.put_token(&new("next", None)).unwrap().id, 3);
}
