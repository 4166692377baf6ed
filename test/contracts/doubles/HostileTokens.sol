// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {TestUSDC} from "../../../contracts/test-doubles/TestUSDC.sol";

/// @notice Takes one unit of every payment for itself.
contract FeeOnTransferToken is TestUSDC {
    function _update(address from, address to, uint256 value) internal override {
        if (from == address(0) || to == address(0)) return super._update(from, to, value);
        super._update(from, to, value - 1);
        super._update(from, address(this), 1);
    }
}

/// @notice Pays one unit more than asked for.
contract GenerousToken is TestUSDC {
    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (from != address(0) && to != address(0)) _mint(to, 1);
    }
}

/// @notice Can change anyone's balance without a transfer.
contract RebasingToken is TestUSDC {
    function seize(address account, uint256 amount) external {
        _burn(account, amount);
    }
}

/// @notice Says false instead of reverting, as some old tokens do.
contract FalseToken is TestUSDC {
    bool public failing;

    function fail(bool failing_) external {
        failing = failing_;
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        return failing ? false : super.transfer(to, value);
    }
}

/// @notice Makes a call of its own in the middle of its next payment.
contract ReentrantToken is TestUSDC {
    address private _target;
    bytes private _payload;
    bool public armed;
    bool public succeeded;
    bytes public result;

    function arm(address target, bytes calldata payload) external {
        (_target, _payload, armed) = (target, payload, true);
    }

    function call(address target, bytes calldata payload) external returns (bytes memory) {
        (bool ok, bytes memory returned) = target.call(payload);
        require(ok, "call failed");
        return returned;
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (armed && from != address(0) && to != address(0)) {
            armed = false;
            (succeeded, result) = _target.call(_payload);
        }
    }
}
